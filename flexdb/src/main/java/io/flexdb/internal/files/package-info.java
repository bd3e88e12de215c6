/** The directory of a store, and the file of anchors. */
package io.flexdb.internal.files;
