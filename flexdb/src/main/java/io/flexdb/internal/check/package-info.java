/** Checks of a whole store in use. */
package io.flexdb.internal.check;
