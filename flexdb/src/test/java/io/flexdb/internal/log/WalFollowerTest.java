package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.HookedVfs;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.CorruptionException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is read of logs that somebody else writes, one order of events at a time. */
class WalFollowerTest {
    private static final Path DIRECTORY = Path.of("/wal");
    private static final long STORE = 77;
    private static final int CAPACITY = 1 << 16;

    private final SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
    private final WalFollower follower = new WalFollower(vfs, DIRECTORY, STORE);
    private final List<Long> found = new ArrayList<>();
    private final List<Integer> runs = new ArrayList<>(); // where they begin
    private final List<Integer> behindLoads = new ArrayList<>(); // how many were found before
    private final List<WalWriter> writers = new ArrayList<>();

    private final WalFollower.Target target = new WalFollower.Target() {
        @Override
        public void beginRun() {
            runs.add(found.size());
        }

        @Override
        public void accept(long first, Payload payload) {
            found.add(first);
        }

        @Override
        public void behindLoad() {
            behindLoads.add(found.size());
        }
    };

    @AfterEach
    void close() {
        follower.close();
        writers.forEach(WalWriter::release);
    }

    private WalWriter create(long number) {
        WalWriter writer = Writes.create(vfs, DIRECTORY, number, STORE, number, CAPACITY, false);
        writers.add(writer);
        return writer;
    }

    private static void append(WalWriter writer, long from, long to) {
        byte[] payload = new byte[16];
        int length = WritePayload.encodeDeleteHeader(payload, 0, 4) + 4;
        for (long sequence = from; sequence <= to; sequence++) {
            writer.append(
                    new Payload().set(payload, length, 1, 0, 0),
                    WritePayload.checksum(payload, 0, length),
                    sequence,
                    false);
        }
    }

    private static List<Long> numbers(long from, long to) {
        List<Long> numbers = new ArrayList<>();
        for (long number = from; number <= to; number++) {
            numbers.add(number);
        }
        return numbers;
    }

    private void readAll(long covered) {
        follower.readAll(covered, target);
        follower.settle(covered);
    }

    @Test
    void whatIsAppendedIsFollowed() {
        WalWriter first = create(1);
        append(first, 1, 5);
        readAll(0);
        assertEquals(numbers(1, 5), found);
        assertTrue(follower.follow(target));
        append(first, 6, 9);
        assertTrue(follower.follow(target));
        assertEquals(numbers(1, 9), found);
        assertEquals(9, follower.lastSequence());
    }

    @Test
    void theWayLeadsFromLogToLog() {
        WalWriter first = create(1);
        append(first, 1, 5);
        readAll(0);
        append(first, 6, 7);
        append(create(2), 8, 9);
        append(create(3), 10, 12);
        create(4);
        assertTrue(follower.follow(target));
        assertEquals(numbers(1, 12), found);
        assertTrue(follower.follow(target));
    }

    @Test
    void aLogThatIsUsedAgainIsLostEvenIfTheNextOneBeginsWhereItEnded() {
        WalWriter first = create(1);
        append(first, 1, 5);
        readAll(0);
        append(create(2), 6, 9);
        writers.add(first.recycle(new WalId(STORE, 3, 3)));
        assertFalse(follower.follow(target));
        assertEquals(numbers(1, 5), found);
    }

    @Test
    void aDeletedLogIsLost() {
        append(create(1), 1, 5);
        readAll(0);
        vfs.delete(DIRECTORY.resolve(WalFormat.fileName(1)));
        assertFalse(follower.follow(target));
    }

    @Test
    void aLogThatWasMissedIsLost() {
        append(create(1), 1, 5);
        readAll(0);
        append(create(3), 9, 12);
        assertFalse(follower.follow(target));
        assertEquals(numbers(1, 5), found);
    }

    @Test
    void onlyTheRunThatGoesOnBehindTheSpaceCounts() {
        append(create(1), 1, 5);
        append(create(2), 8, 10);
        follower.readAll(0, target);
        assertEquals(List.of(0, 5), runs);
        assertEquals(1, follower.settle(7));
        assertEquals(10, follower.lastSequence());
        assertNull(follower.gap());
    }

    @Test
    void aRunThatNothingLeadsUpToIsAGapIfItWasForced() {
        append(create(1), 1, 5);
        WalWriter later = create(2);
        append(later, 8, 10);
        follower.readAll(0, target);
        assertEquals(0, follower.settle(0));
        assertNull(follower.gap(), "it may have been begun meanwhile");
        follower.close();
        later.force();
        WalFollower another = new WalFollower(vfs, DIRECTORY, STORE);
        another.readAll(0, target);
        another.settle(0);
        assertNotNull(another.gap());
        another.close();
    }

    @Test
    void whatIsKnownToBeCoveredIsNotHandedOver() {
        append(create(1), 1, 5);
        append(create(2), 6, 10);
        readAll(7);
        assertEquals(numbers(8, 10), found);
        assertEquals(10, follower.lastSequence());
        assertTrue(follower.follow(target));
    }

    @Test
    void withoutALogTheOneWithTheNextNumberIsFound() {
        readAll(20);
        assertFalse(follower.hasLog());
        assertTrue(follower.follow(target));
        WalWriter writer = create(1);
        append(writer, 15, 18);
        assertTrue(follower.follow(target));
        assertFalse(follower.hasLog());
        append(create(2), 21, 22);
        assertTrue(follower.follow(target));
        assertEquals(numbers(21, 22), found);
        assertTrue(follower.hasLog());
    }

    @Test
    void withNothingNewLittleIsRead() {
        List<Path> reads = new ArrayList<>();
        HookedVfs hooked = new HookedVfs(vfs, (kind, path) -> {
            if (kind == HookedVfs.Kind.READ) {
                reads.add(path);
            }
        });
        append(create(1), 1, 5);
        append(create(2), 6, 9);
        Path path = DIRECTORY.resolve(WalFormat.fileName(3));
        WalWriter last = create(3);
        append(last, 10, 12);
        try (WalFollower counted = new WalFollower(hooked, DIRECTORY, STORE)) {
            counted.readAll(0, target);
            counted.settle(12);
            assertTrue(counted.follow(target));
            reads.clear();
            assertTrue(counted.follow(target));
            assertEquals(List.of(path, path), reads, "its end, and whether it has its name still");
        }
        try (WalFollower counted = new WalFollower(hooked, DIRECTORY, STORE)) {
            counted.readAll(0, target);
            counted.settle(15); // of which the log is gone
            assertTrue(counted.follow(target));
            assertFalse(counted.hasLog());
            reads.clear();
            assertTrue(counted.follow(target));
            assertEquals(List.of(), reads, "what ends before that does so for ever");
        }
    }

    @Test
    void aLoadIsToldRightBeforeTheWriteBehindIt() {
        byte[] payload = new byte[16];
        int length = WritePayload.encodeDeleteHeader(payload, 0, 4) + 4;
        int checksum = WritePayload.checksum(payload, 0, length);
        WalWriter first = create(1);
        append(first, 1, 2);
        first.append(new Payload().set(payload, length, 1, 0, 0), checksum, 3, true);
        append(first, 4, 5);
        readAll(0);
        assertEquals(List.of(2), behindLoads);
        WalWriter second = create(2);
        second.append(new Payload().set(payload, length, 1, 0, 0), checksum, 6, true);
        second.append(new Payload().set(payload, length, 1, 0, 0), checksum, 7, true);
        append(second, 8, 9);
        assertTrue(follower.follow(target));
        assertEquals(List.of(2, 5, 6), behindLoads);
        assertEquals(numbers(1, 9), found);
        byte[] content = vfs.content(DIRECTORY.resolve(WalFormat.fileName(2)));
        content[WalFormat.FIRST_FRAME + 3] ^= (byte) 0x80; // that it comes behind a load is under the check, too
        vfs.setContent(DIRECTORY.resolve(WalFormat.fileName(2)), content);
        try (WalReader reader = new WalReader(vfs, DIRECTORY.resolve(WalFormat.fileName(2)), STORE)) {
            assertFalse(reader.next());
        }
    }

    @Test
    void damageIsToldAndAnEndIsNot() {
        WalWriter first = create(1);
        append(first, 1, 5);
        first.force();
        byte[] content = vfs.content(DIRECTORY.resolve(WalFormat.fileName(1)));
        content[WalFormat.FIRST_FRAME + 26] ^= 1;
        vfs.setContent(DIRECTORY.resolve(WalFormat.fileName(1)), content);
        assertThrows(CorruptionException.class, () -> follower.readAll(0, target));
    }

    @Test
    void aCallEndsHoweverFastTheWriterGoesOn() {
        WalWriter[] writer = {create(1)};
        append(writer[0], 1, 5);
        readAll(0);
        long[] next = {6};
        append(writer[0], next[0], next[0]++);
        WalFollower.Target greedy = new WalFollower.Target() {
            @Override
            public void beginRun() {}

            @Override
            public void accept(long first, Payload payload) {
                for (int i = 0; i < 500; i++) { // each write that is read makes more of them
                    if (!writer[0].hasRoom(16)) {
                        writer[0] = create(writer[0].number() + 1);
                    }
                    append(writer[0], next[0], next[0]++);
                }
            }
        };
        follower.follow(greedy);
        assertTrue(follower.lastSequence() < next[0] - 1);
    }
}
