package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.copy.CopiedSegment;
import io.flexdb.flexspace.internal.copy.SegmentTarget;
import io.flexdb.flexspace.internal.copy.SpaceCopy;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A copy has one state of a space, whatever the writer does while it is made, and after. */
class SpaceCopyTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final Path COPY = Path.of("/copy");
    private static final int TAG = 7;
    private static final FlexSpaceOptions SMALL =
            FlexSpaceOptions.defaults().withSegmentBuffers(100).withSegments(32 * 512, 512);

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Epochs epochs = new Epochs();
    private final Random random = new Random(4);
    private final SpaceEngine engine;
    private final byte[] content;
    private final SpaceCopy copy;

    SpaceCopyTest() {
        SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), List.of());
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), epochs);
        for (int i = 0; i < 300; i++) {
            engine.insert(random.nextInt((int) engine.size() + 1), randomBytes(), 0, 400, 0);
        }
        engine.sync(TAG);
        FlexTreeView view = engine.current();
        epochs.advance();
        epochs.pin(view.version());
        content = read(engine, view);
        copy = engine.beginCopy(view);
        vfs.createDirectories(COPY);
    }

    private ByteBuffer randomBytes() {
        byte[] bytes = new byte[400];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static byte[] read(SpaceEngine from, FlexTreeView view) {
        byte[] bytes = new byte[(int) view.size()];
        from.reads().read(view, 0, ByteBuffer.wrap(bytes), 0, bytes.length);
        return bytes;
    }

    private void writeMore() {
        for (int i = 0; i < 300; i++) {
            engine.overwrite(random.nextInt((int) engine.size() - 400), randomBytes(), 0, 400, 0);
        }
        engine.sync(TAG + 1);
        engine.collectGarbage();
        epochs.advance();
        engine.reclaim();
        engine.checkpoint();
    }

    private void assertCopied(boolean change) {
        SpaceEngine opened = SpaceEngine.open(vfs, COPY, engine.storeId(), OwnedSpaces.settings(SMALL), new Epochs());
        assertEquals(TAG, opened.tag());
        assertArrayEquals(content, read(opened, opened.current()));
        opened.checkInvariants();
        if (change) {
            opened.overwrite(0, ByteBuffer.wrap(new byte[10]), 0, 10, 0);
            opened.sync(TAG + 2);
            Arrays.fill(content, 0, 10, (byte) 0);
            assertArrayEquals(content, read(opened, opened.current()));
        }
        opened.close();
    }

    /** Segments go to their places in one file. */
    private final class Target implements SegmentTarget, AutoCloseable {
        private final VfsFile file = vfs.open(COPY.resolve("data"), OpenMode.CREATE);
        private final SegmentFormat format = copy.format();
        private final boolean verifies;
        private int segments;
        private int footerBytes;

        Target(boolean verifies) {
            this.verifies = verifies;
            file.write(FilePreamble.finish(FilePreamble.begin(FilePreamble.Kind.DATA, copy.storeId())), 0);
        }

        @Override
        public VfsFile begin(CopiedSegment segment) {
            return file;
        }

        @Override
        public long position(CopiedSegment segment) {
            return format.filePosition(segment.number(), 0);
        }

        @Override
        public void end(CopiedSegment segment) {
            segments++;
            footerBytes += segment.sealed() ? format.footerBytes : 0;
        }

        @Override
        public boolean verifies() {
            return verifies;
        }

        @Override
        public void close() {
            file.force();
            file.close();
        }
    }

    @Test
    void segmentsAreCopiedWhileTheWriterGoesOn() {
        writeMore();
        long[] told = {0};
        copy.copyTree(vfs, COPY, bytes -> {});
        try (Target target = new Target(false)) {
            assertFalse(copy.sharesBlocks(target));
            copy.copySegments(target, bytes -> told[0] += bytes);
            assertTrue(target.segments > 1, target.segments + " segments");
            assertEquals(copy.dataBytes(), told[0] + target.footerBytes);
        }
        vfs.syncDirectory(COPY);
        assertCopied(false);
        writeMore();
        engine.close();
        assertCopied(true);
    }

    @Test
    void aCopyThatSharesTheDataFileStaysWhatItWas() {
        vfs.allowLinks();
        copy.copyTree(vfs, COPY, bytes -> {});
        assertTrue(copy.linkData(COPY, bytes -> {}));
        vfs.syncDirectory(COPY);
        writeMore();
        assertCopied(true);
        writeMore();
        engine.close();
    }

    @Test
    void damageIsNotCopied() {
        Path data = DIRECTORY.resolve("data");
        byte[] bytes = vfs.content(data);
        bytes[(int) copy.format().filePosition(0, 700)] ^= 1;
        vfs.setContent(data, bytes);
        try (Target target = new Target(true)) {
            assertThrows(CorruptionException.class, () -> copy.copySegments(target, copied -> {}));
        }
    }
}
