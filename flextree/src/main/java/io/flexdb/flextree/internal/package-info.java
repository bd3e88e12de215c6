/**
 * Off-heap nodes and the epochs by which they are reclaimed, shared by the extent index and the store's sparse index.
 * Not part of the public surface.
 */
package io.flexdb.flextree.internal;
