package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.internal.image.NodeImageFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The tables in the comments of the formats, against the constants and against files. */
class FormatTablesTest {
    private static final Path DIRECTORY = Path.of("/space");

    @Test
    void theDefaultSegmentHasOneFrameOfChecksums() {
        SegmentFormat format = new SegmentFormat(4 << 20, 4096, 1);
        assertEquals(1023, format.dataFrames);
        assertEquals(1023 * 4096, format.dataBytes);
        assertEquals(4096, format.footerBytes);
        assertEquals(128 << 10, format.maxExtentBytes);
        assertEquals(4096 + 3L * (4 << 20) + 5, format.filePosition(3, 5));
        assertEquals(3, format.segmentOf(format.address(3, 5)));
        assertEquals(5, format.positionOf(format.address(3, 5)));
    }

    @Test
    void theFooterHoldsAChecksumOfEachFrameAndItsOwn() {
        for (int frameBytes = 512; frameBytes <= 65536; frameBytes *= 2) {
            for (int segmentBytes = 32 * frameBytes;
                    segmentBytes <= FlexSpaceOptions.MAX_SEGMENT_BYTES;
                    segmentBytes *= 2) {
                SegmentFormat format = new SegmentFormat(segmentBytes, frameBytes, 1);
                assertEquals(segmentBytes, format.dataBytes + format.footerBytes);
                assertTrue((format.dataFrames + 1) * 4 <= format.footerBytes);
                assertTrue(
                        (format.dataFrames + 2) * 4 > format.footerBytes - frameBytes,
                        "a frame too many for the footer of " + segmentBytes + " and " + frameBytes);
                assertTrue(format.maxExtentBytes >= frameBytes);
            }
        }
    }

    @Test
    void theSameBytesElsewhereHaveAnotherChecksum() {
        Set<Integer> seals = new HashSet<>();
        for (long store = 1; store <= 3; store++) {
            SegmentFormat format = new SegmentFormat(1 << 20, 4096, store);
            for (int segment = 0; segment < 10; segment++) {
                for (int generation = 0; generation < 10; generation++) {
                    for (int frame = 0; frame < 10; frame++) {
                        seals.add(format.seal(0, segment, generation, frame));
                    }
                }
            }
        }
        assertEquals(3000, seals.size());
    }

    @Test
    void logFieldsFollowEachOther() {
        assertEquals(32, LogFormat.GENERATION_OFFSET);
        assertEquals(40, LogFormat.TREE_VERSION_OFFSET);
        assertEquals(64, FilePreamble.FIELDS_OFFSET + LogFormat.FIELD_BYTES);
        assertEquals(512, LogFormat.MARK_OFFSET);
        assertEquals(20, LogFormat.MARK_BYTES);
        assertEquals(4096, LogFormat.FRAMES_OFFSET);
        assertEquals(0, LogFormat.FRAME_PAYLOAD_BYTES_OFFSET);
        assertEquals(4, LogFormat.FRAME_RESERVED_OFFSET);
        assertEquals(8, LogFormat.FRAME_GENERATION_OFFSET);
        assertEquals(16, LogFormat.FRAME_SEQUENCE_OFFSET);
        assertEquals(24, LogFormat.FRAME_PAYLOAD_CRC_OFFSET);
        assertEquals(28, LogFormat.FRAME_HEADER_CRC_OFFSET);
        assertEquals(32, LogFormat.FRAME_HEADER_BYTES);
        assertEquals(32, LogFormat.frameBytes(0));
        assertEquals(40, LogFormat.frameBytes(1));
        assertEquals(40, LogFormat.frameBytes(8));
        assertEquals((1L << 31) + 32, LogFormat.frameBytes(Integer.MAX_VALUE));
    }

    @Test
    void onlyNamesThatWeGiveAreLogs() {
        assertEquals(17, LogFormat.generationOf(LogFormat.fileName(17)));
        assertEquals(999_999_999_999_999_999L, LogFormat.generationOf("log-999999999999999999"));
        for (String name :
                List.of("log-", "log-0", "log-01", "log-x", "log--1", "log-1 ", "xlog-1", "log-1x", "log.new")) {
            assertEquals(-1, LogFormat.generationOf(name), name);
        }
        assertEquals(-1, LogFormat.generationOf("log-1" + "0".repeat(18)));
    }

    @Test
    void treeFileFieldsFollowEachOther() {
        assertEquals(32, TreeFileFormat.TREE_VERSION_OFFSET);
        assertEquals(96, FilePreamble.FIELDS_OFFSET + TreeFileFormat.FIELD_BYTES);
        assertEquals(0, TreeFileFormat.headerPosition(2));
        assertEquals(4096, TreeFileFormat.headerPosition(1));
        assertEquals(8192, TreeFileFormat.slotPosition(1));
        assertEquals(8192 + 1024L * Integer.MAX_VALUE - 1024, TreeFileFormat.slotPosition(Integer.MAX_VALUE));
        assertEquals(1, TreeFileFormat.unitsOfNode(0));
        assertEquals(2, TreeFileFormat.unitsOfNode(3));
        assertTrue(NodeImageFormat.MAX_LEAF_BYTES <= TreeFileFormat.LEAF_UNITS * TreeFileFormat.UNIT_BYTES);
        assertTrue(NodeImageFormat.MAX_INTERNAL_BYTES <= TreeFileFormat.INNER_UNITS * TreeFileFormat.UNIT_BYTES);
        assertEquals(1, TreeFileFormat.unitsOfBytes(1024));
        assertEquals(2, TreeFileFormat.unitsOfBytes(1025));
    }

    @Test
    void aSpaceOnDiskIsWhatTheTablesSay() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexSpaceOptions options = FlexSpaceOptions.defaults().withSegments(32 * 512, 512);
        SpaceEngine.create(vfs, DIRECTORY, 99, OwnedSpaces.settings(options), List.of());
        try (SpaceEngine engine = SpaceEngine.open(vfs, DIRECTORY, 99, OwnedSpaces.settings(options), new Epochs())) {
            engine.insert(0, ByteBuffer.wrap(new byte[300]), 0, 300, 0);
            engine.sync(5);
            engine.checkpoint();
            engine.insert(300, ByteBuffer.wrap(new byte[10]), 0, 10, 1);
            engine.sync(6);
        }
        ByteBuffer tree = file(vfs, "tree");
        int header = 0; // of version 2
        assertEquals(2, tree.getInt(header + 8));
        assertEquals(99, tree.getLong(header + 16));
        assertEquals(2, tree.getLong(header + 32));
        assertEquals(5, tree.getLong(header + 40));
        assertEquals(300, tree.getLong(header + 48));
        assertEquals(1, tree.getLong(header + 56));
        int root = 8192 + (tree.getInt(header + 64) - 1) * 1024;
        assertEquals(tree.getInt(root), tree.getInt(header + 68));
        assertEquals(0, tree.getInt(header + 72));
        int table = 8192 + (tree.getInt(header + 76) - 1) * 1024;
        assertEquals(12 + 4 + 4, tree.getInt(header + 80));
        assertEquals(FilePreamble.crc(tree, table, 20), tree.getInt(header + 84));
        assertEquals(32 * 512, tree.getInt(header + 88));
        assertEquals(512, tree.getInt(header + 92));
        assertEquals(FilePreamble.crc(tree, header, 96), tree.getInt(header + 96));
        int[] words = {1, 0, 1, 1};
        for (int i = 0; i < words.length; i++) {
            assertEquals(words[i], tree.getInt(table + 4 * i), "word " + i + " of the segment table");
        }
        assertNotEquals(0, tree.getInt(table + 16));

        ByteBuffer log = file(vfs, vfs.list(DIRECTORY).get(1));
        long generation = log.getLong(32);
        assertEquals("log-" + generation, vfs.list(DIRECTORY).get(1));
        assertEquals(2, log.getLong(40));
        assertEquals(generation, log.getLong(512));
        int payload = 16 + 24 + 16 + 4;
        assertEquals(4096 + LogFormat.frameBytes(payload), log.getLong(520));
        assertEquals(FilePreamble.crc(log, 512, 16), log.getInt(528));
        assertEquals(payload, log.getInt(4096));
        assertEquals(generation, log.getLong(4096 + 8));
        assertEquals(1, log.getLong(4096 + 16));
        assertEquals(FilePreamble.crc(log, 4096 + 32, payload), log.getInt(4096 + 24));
        assertEquals(FilePreamble.crc(log, 4096, 28), log.getInt(4096 + 28));
        assertEquals(6, log.getLong(4096 + 32));
        for (int at = (int) (4096 + LogFormat.frameBytes(payload)); at < log.limit(); at++) {
            assertEquals(0, log.get(at), "byte " + at + ", behind the frames");
        }
    }

    private static ByteBuffer file(SimulatedVfs vfs, String name) {
        return ByteBuffer.wrap(vfs.content(DIRECTORY.resolve(name))).order(ByteOrder.LITTLE_ENDIAN);
    }
}
