/** Checks of everything that a space needs, and the scrub. Not part of the public surface. */
package io.flexdb.flexspace.internal.check;
