/** The store behind the public types. Not part of the public surface. */
package io.flexdb.internal;
