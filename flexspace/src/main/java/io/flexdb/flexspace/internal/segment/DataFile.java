package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.vfs.MappedReads;
import io.flexdb.flexspace.internal.vfs.VfsFile;

/**
 * The data file, and how it is read.
 *
 * @param file its bytes
 * @param format where they are
 * @param mapped a way to read them without system calls; null for none
 */
public record DataFile(VfsFile file, SegmentFormat format, MappedReads mapped) {}
