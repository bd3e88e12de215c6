/**
 * Images of nodes as a checkpoint holds them: saved, verified, loaded. Not part of the public surface.
 */
package io.flexdb.flextree.internal.image;
