package io.flexdb.flexspace.internal.checkpoint;

import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import java.nio.ByteBuffer;

/**
 * One state of a space that is written to a FlexTree file, of this space or of a copy, while the writer goes on.
 *
 * @param tree the tree that the version is of
 * @param view the version, pinned while this is used
 * @param segmentTable the segments as they were with that version
 * @param tag of the last sync before
 */
public record SealedState(FlexTree tree, FlexTreeView view, ByteBuffer segmentTable, long tag) {}
