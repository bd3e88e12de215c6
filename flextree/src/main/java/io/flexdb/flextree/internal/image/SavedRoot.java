package io.flexdb.flextree.internal.image;

/**
 * A saved tree, as it has to be named in order to load it again.
 *
 * @param slot where the root's image is, 0 for an empty tree
 * @param crc the checksum of that image
 * @param level the root's level
 * @param size bytes of the logical address space
 * @param extentCount extents in the tree
 */
public record SavedRoot(int slot, int crc, int level, long size, long extentCount) {}
