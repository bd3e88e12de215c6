package io.flexdb.flexspace.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

public class LogicalLogTest {
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
            return readAll(new LogicalLogReader(file, STORE_ID, generation));
        }
    }

    private static List<ByteBuffer> readAll(LogicalLogReader reader) {
        List<ByteBuffer> all = new ArrayList<>();
        for (List<ByteBuffer> some = reader.next(1 << 20); !some.isEmpty(); some = reader.next(1 << 20)) {
            all.addAll(some);
        }
        assertEquals(all.size(), reader.frames());
        return all;
    }

    private static long frameBytes(List<ByteBuffer> payloads) {
        return payloads.stream()
                .mapToLong(payload -> LogFormat.frameBytes(payload.remaining()))
                .sum();
    }

    /** Hands payloads over some at a time. */
    public static Supplier<List<ByteBuffer>> some(List<ByteBuffer> payloads) {
        int[] done = {0};
        return () -> {
            int from = done[0];
            done[0] = Math.min(payloads.size(), from + 1 + payloads.size() / 3);
            return payloads.subList(from, done[0]);
        };
    }

    private static void append(LogicalLog log, ByteBuffer payload) {
        log.willAppend(payload.remaining());
        log.append(payload);
    }

    @Test
    void whatWasAppendedIsReadAndCopiedToAnotherLog() {
        List<ByteBuffer> payloads = payloads(400);
        try (LogicalLog log = LogicalLog.create(vfs, DIRECTORY, STORE_ID, 1, 1, List::of)) {
            payloads.forEach(payload -> append(log, payload));
            log.force();
            assertEquals(LogFormat.FRAMES_OFFSET + frameBytes(payloads), log.bytes());
        }
        List<ByteBuffer> found = read(1);
        assertEquals(payloads, found);
        try (LogicalLog copy = LogicalLog.create(vfs, DIRECTORY, STORE_ID, 2, 1, some(found))) {
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
        LogicalLog.create(vfs, DIRECTORY, STORE_ID, 1, 1, some(payloads)).close();
        SimulatedVfs cut = vfs.crash(0);
        try (VfsFile file = cut.open(path(1), OpenMode.READ)) {
            assertEquals(payloads, readAll(new LogicalLogReader(file, STORE_ID, 1)));
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
        LogicalLog.create(vfs, DIRECTORY, STORE_ID, 1, 1, some(payloads)).close();
        long reads = vfs.readCount();
        List<ByteBuffer> found = read(1);
        assertEquals(payloads, found);
        assertTrue(vfs.readCount() - reads < 20, (vfs.readCount() - reads) + " reads of 2 MB");
        long operations = vfs.operationCount();
        LogicalLog.create(vfs, DIRECTORY, STORE_ID, 2, 1, some(found)).close();
        assertTrue(vfs.operationCount() - operations < 20, (vfs.operationCount() - operations) + " operations");
        assertEquals(payloads, read(2));
    }

    /** However long a log is, recovery has little of it in memory: the piece that it works on, and the next one. */
    @Test
    void aLogIsReadInPiecesAndNoFartherAheadThanOne() {
        List<ByteBuffer> payloads = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            payloads.add(payload(10_000));
        }
        LogicalLog.create(vfs, DIRECTORY, STORE_ID, 1, 1, some(payloads)).close();
        long[] bytesRead = {0};
        ForwardingVfs counting = new ForwardingVfs(vfs) {
            @Override
            public VfsFile open(Path file, OpenMode mode) {
                return new ForwardingVfsFile(super.open(file, mode)) {
                    @Override
                    public int read(ByteBuffer dst, long position) {
                        int read = super.read(dst, position);
                        bytesRead[0] += read;
                        return read;
                    }
                };
            }
        };
        int most = LogPieces.PIECE_BYTES + (1 << 20); // with what is read with a frame
        List<ByteBuffer> found = new ArrayList<>();
        try (BackgroundWorker beside = vfs.worker("beside");
                LogPieces log = new LogPieces(counting, path(1), STORE_ID, 1, beside)) {
            for (List<ByteBuffer> piece = log.next(); !piece.isEmpty(); piece = log.next()) {
                found.addAll(piece);
                long given = found.size() * 10_000L;
                assertTrue(bytesRead[0] <= given + most, bytesRead[0] + " bytes read, " + given + " given");
            }
            assertEquals(3000, log.frames());
        }
        assertEquals(payloads, found);
    }

    @Test
    void aLogEndsBeforeTheFirstFrameThatIsNotWholeUnlessThatWasForced() {
        List<ByteBuffer> payloads = payloads(120);
        long forced;
        long end;
        try (LogicalLog log = LogicalLog.create(vfs, DIRECTORY, STORE_ID, 1, 1, List::of)) {
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
                    assertThrows(CorruptionException.class, () -> readAll(reader), "cut at " + at);
                } else {
                    List<ByteBuffer> found = readAll(reader);
                    assertEquals(payloads.subList(0, found.size()), found, "cut at " + at);
                    long rest = at - LogFormat.FRAMES_OFFSET - frameBytes(found);
                    int next = found.size() < 120 ? payloads.get(found.size()).remaining() : Integer.MAX_VALUE - 64;
                    assertTrue(rest >= 0 && rest < LogFormat.frameBytes(next), rest + " bytes more, cut at " + at);
                }
            }
        }
    }
}
