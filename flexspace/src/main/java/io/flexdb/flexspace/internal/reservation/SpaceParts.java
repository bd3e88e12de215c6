package io.flexdb.flexspace.internal.reservation;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.checkpoint.TreeFile;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flextree.FlexTree;
import java.nio.file.Path;

/**
 * The open parts of a space, which all that its writer does works on. They stay the same for as long as it is open.
 *
 * @param vfs where its files are
 * @param directory of them
 * @param settings of the space
 * @param epochs that its readers are in
 * @param treeFile with the checkpoints
 * @param tree the writer's
 * @param store the data file
 * @param batch log entries that wait
 * @param pauses knows when the writer waits for a file
 */
public record SpaceParts(
        Vfs vfs,
        Path directory,
        SpaceSettings settings,
        Epochs epochs,
        TreeFile treeFile,
        FlexTree tree,
        SegmentStore store,
        LogBatch batch,
        WriterPauses pauses) {}
