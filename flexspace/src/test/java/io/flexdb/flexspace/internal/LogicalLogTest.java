package io.flexdb.flexspace.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LogicalLogTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final long STORE_ID = 7;

    private final SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
    private final Random random = new Random(3);

    private ByteBuffer payload(int bytes) {
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        return ByteBuffer.wrap(content);
    }

    /** Of any length from the shortest on, some much longer than what is read or written at once. */
    private List<ByteBuffer> payloads(int count) {
        List<ByteBuffer> payloads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            payloads.add(payload(LogBatch.HEADER_BYTES + random.nextInt(i % 50 == 0 ? 3 << 20 : 300)));
        }
        return payloads;
    }

    private Path path(long generation) {
        return DIRECTORY.resolve(LogFormat.fileName(generation));
    }

    private List<ByteBuffer> read(long generation) {
        try (VfsFile file = vfs.open(path(generation), OpenMode.READ)) {
            return new LogicalLogReader(file, STORE_ID, generation).payloads();
        }
    }

    private static long frameBytes(List<ByteBuffer> payloads) {
        return payloads.stream()
                .mapToLong(payload -> LogFormat.frameBytes(payload.remaining()))
                .sum();
    }

    private static void append(LogicalLog log, ByteBuffer payload) {
        log.willAppend(payload.remaining());
        log.append(payload);
    }

    @Test
    void whatWasAppendedIsReadAndCopiedToAnotherLog() {
        List<ByteBuffer> payloads = payloads(400);
        try (LogicalLog log = LogicalLog.create(vfs, DIRECTORY, STORE_ID, 1, 1, List.of())) {
            payloads.forEach(payload -> append(log, payload));
            log.force();
            assertEquals(LogFormat.FRAMES_OFFSET + frameBytes(payloads), log.bytes());
        }
        List<ByteBuffer> found = read(1);
        assertEquals(payloads, found);
        try (LogicalLog copy = LogicalLog.create(vfs, DIRECTORY, STORE_ID, 2, 1, found)) {
            assertEquals(LogFormat.FRAMES_OFFSET + frameBytes(payloads), copy.bytes());
            ByteBuffer next = payload(100);
            append(copy, next);
            payloads.add(next);
        }
        assertEquals(payloads, read(2));
        assertEquals(payloads.subList(0, 400), found, "handing payloads over moves nothing in them");
    }

    /** A copy is as good as durable when it has its name: a cut loses nothing of it. */
    @Test
    void aCopyIsDurableAndSaysSo() {
        List<ByteBuffer> payloads = payloads(60);
        LogicalLog.create(vfs, DIRECTORY, STORE_ID, 1, 1, payloads).close();
        SimulatedVfs cut = vfs.crash(0);
        try (VfsFile file = cut.open(path(1), OpenMode.READ)) {
            assertEquals(payloads, new LogicalLogReader(file, STORE_ID, 1).payloads());
            assertEquals(LogFormat.FRAMES_OFFSET + frameBytes(payloads), LogicalLogReader.syncedUpTo(file, 1));
        }
    }

    /** A log of a space that is synced after each change is made of short frames. */
    @Test
    void shortFramesAreReadAndCopiedManyAtOnce() {
        List<ByteBuffer> payloads = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            payloads.add(payload(60));
        }
        LogicalLog.create(vfs, DIRECTORY, STORE_ID, 1, 1, payloads).close();
        long reads = vfs.readCount();
        List<ByteBuffer> found = read(1);
        assertEquals(payloads, found);
        assertTrue(vfs.readCount() - reads < 20, (vfs.readCount() - reads) + " reads of 2 MB");
        long operations = vfs.operationCount();
        LogicalLog.create(vfs, DIRECTORY, STORE_ID, 2, 1, found).close();
        assertTrue(vfs.operationCount() - operations < 20, (vfs.operationCount() - operations) + " operations");
        assertEquals(payloads, read(2));
    }

    @Test
    void aLogEndsBeforeTheFirstFrameThatIsNotWholeUnlessThatWasForced() {
        List<ByteBuffer> payloads = payloads(120);
        long forced;
        long end;
        try (LogicalLog log = LogicalLog.create(vfs, DIRECTORY, STORE_ID, 1, 1, List.of())) {
            payloads.subList(0, 60).forEach(payload -> append(log, payload));
            log.force();
            forced = log.bytes();
            payloads.subList(60, 120).forEach(payload -> append(log, payload));
            end = log.bytes();
        }
        for (int i = 0; i < 40; i++) {
            SimulatedVfs torn = vfs.copy();
            long at = LogFormat.FRAMES_OFFSET + (long) (random.nextDouble() * (end - LogFormat.FRAMES_OFFSET));
            try (VfsFile file = torn.open(path(1), OpenMode.READ_WRITE)) {
                file.truncate(at);
                LogicalLogReader reader = new LogicalLogReader(file, STORE_ID, 1);
                if (at < forced) {
                    assertThrows(CorruptionException.class, reader::payloads, "cut at " + at);
                } else {
                    List<ByteBuffer> found = reader.payloads();
                    assertEquals(payloads.subList(0, found.size()), found, "cut at " + at);
                    long rest = at - LogFormat.FRAMES_OFFSET - frameBytes(found);
                    int next = found.size() < 120 ? payloads.get(found.size()).remaining() : Integer.MAX_VALUE - 64;
                    assertTrue(rest >= 0 && rest < LogFormat.frameBytes(next), rest + " bytes more, cut at " + at);
                }
            }
        }
    }
}
