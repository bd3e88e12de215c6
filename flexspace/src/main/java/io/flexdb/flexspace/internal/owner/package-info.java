/**
 * A space as its owner within FlexDB sets it up. Not part of the public surface.
 */
package io.flexdb.flexspace.internal.owner;
