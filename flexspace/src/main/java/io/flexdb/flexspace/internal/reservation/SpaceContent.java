package io.flexdb.flexspace.internal.reservation;

import io.flexdb.flexspace.internal.checkpoint.TreeFile;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flextree.FlexTree;
import java.nio.file.Path;

/**
 * The files of an open space, and what is in memory of them. They stay the same for as long as the space is open.
 *
 * @param vfs where its files are
 * @param directory of them
 * @param treeFile with the checkpoints
 * @param tree the writer's
 * @param store the data file
 */
public record SpaceContent(Vfs vfs, Path directory, TreeFile treeFile, FlexTree tree, SegmentStore store) {}
