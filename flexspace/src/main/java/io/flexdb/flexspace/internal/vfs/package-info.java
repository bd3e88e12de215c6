/**
 * Files as a store needs them, behind an interface that tests replace by a simulation of power cuts and failing
 * devices. Not part of the public surface.
 */
package io.flexdb.flexspace.internal.vfs;
