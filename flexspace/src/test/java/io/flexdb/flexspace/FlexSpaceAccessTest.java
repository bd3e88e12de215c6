package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.flextree.internal.tree.NodeFormat;
import io.flexdb.storage.StoreFailedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * In a large tree a change waits after it has returned. Whoever has it made hears of it if that fails, and so do all.
 */
class FlexSpaceAccessTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final long EXTENTS = 350_000; // of a tree so large that changes wait

    private SpaceEngine engine;
    private FlexSpaceAccess access;
    private FlexSpaceChanges changes;

    /** The change that waits can't be made: the tree's root holds nothing that makes sense. */
    private void openWithAChangeThatFails() {
        SimulatedVfs vfs = new SimulatedVfs();
        SpaceEngine.create(vfs, DIRECTORY, 1, FlexSpaceOptions.defaults().settings(), List.of());
        Epochs epochs = new Epochs();
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, FlexSpaceOptions.defaults().settings(), epochs);
        access = new FlexSpaceAccess(engine, epochs);
        changes = new FlexSpaceChanges(access, engine);
        changes.insertHole(0, EXTENTS * FlexTree.MAX_EXTENT_BYTES);
        changes.insertRange(5, ByteBuffer.allocate(10));
        FlexTreeView tree = engine.current();
        changes.insertRange(5, ByteBuffer.allocate(10)); // waits
        ByteBuffer nodes = OwnedTrees.pool(tree).chunk(tree.rootNode());
        int root = NodeFormat.base(tree.rootNode());
        for (int at = Long.BYTES * 2; at < NodeFormat.NODE_BYTES; at += Long.BYTES) {
            nodes.putLong(root + at, -1);
        }
        assertFalse(access.hasFailed());
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void assertFails(Runnable call) {
        RuntimeException cause = assertThrows(IndexOutOfBoundsException.class, call::run);
        assertTrue(access.hasFailed());
        assertSame(cause, assertThrows(StoreFailedException.class, access::lock).getCause());
        assertSame(
                cause,
                assertThrows(StoreFailedException.class, access::enterRead).getCause());
    }

    @Test
    void whoeverPublishesAChangeThatFailsFailsTheSpace() {
        openWithAChangeThatFails();
        assertFails(access::publish);
    }

    @Test
    void aReadOfAChangeThatFailsFailsTheSpace() {
        openWithAChangeThatFails();
        assertFails(access::enterRead);
    }

    @Test
    void aCheckpointOfAChangeThatFailsFailsTheSpace() {
        openWithAChangeThatFails();
        assertFails(changes::checkpoint);
    }

    @Test
    void aSyncOfAChangeThatFailsFailsTheSpace() {
        openWithAChangeThatFails();
        assertFails(changes::sync);
    }

    @Test
    void moreChangesAfterOneThatFailsFailTheSpace() {
        openWithAChangeThatFails();
        assertFails(() -> changes.moveRange(0, 20, 100));
    }

    @Test
    void defragmentingAfterAChangeThatFailsFailsTheSpace() {
        openWithAChangeThatFails();
        assertFails(() -> changes.defragment(0, 20));
    }
}
