package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.Fingerprints;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.Records;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.Interval;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pairs that are taken without their values. */
class PairHeadsTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final int FRAME = 4096;
    private static final int BEFORE = 100; // bytes of the space

    private final Epochs epochs = new Epochs();
    private final SpaceEngine engine;
    private final ReadContext context = new ReadContext(new OffHeap(), OffHeap.Use.READS);
    private final Pairs pairs = context.pairs();
    private final ByteBuffer records = ByteBuffer.allocateDirect(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
    private final List<byte[]> keys = new ArrayList<>();
    private final List<byte[]> values = new ArrayList<>();
    private int end;

    PairHeadsTest() {
        FlexSpaceOptions options = FlexSpaceOptions.defaults().withSegments(256 * FRAME, FRAME);
        SimulatedVfs vfs = new SimulatedVfs();
        SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(options), List.of());
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(options), epochs);
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private void write(int first, int keyBytes, int valueBytes) {
        byte[] key = new byte[keyBytes];
        key[0] = 7;
        key[1] = (byte) first;
        byte[] value = new byte[valueBytes];
        Arrays.fill(value, (byte) ~first);
        keys.add(key);
        values.add(value);
        end = Records.write(records, end, key, value);
    }

    private void writeToSpace() {
        engine.insert(0, records, 0, BEFORE, 0); // no matter which
        for (int done = 0; done < end; ) {
            int length = Math.min(engine.maxExtentBytes(), end - done);
            engine.insert(BEFORE + done, records, done, length, 0);
            done += length;
        }
    }

    private void take(int counted) {
        int ticket = epochs.enter();
        try {
            context.heads().begin(engine.reads(), engine.current(), BEFORE, end);
            pairs.takeHeads(context.heads(), BEFORE, end, counted);
        } finally {
            epochs.exit(ticket);
        }
    }

    private void assertTaken() {
        assertTrue(pairs.areThere() && pairs.areValuesLeft());
        assertEquals(keys.size(), pairs.count());
        int headBytes = 0;
        long start = BEFORE;
        for (int pair = 0; pair < pairs.count(); pair++) {
            byte[] key = keys.get(pair);
            byte[] value = values.get(pair);
            assertEquals(pair, pairs.find(key, key.length));
            assertEquals(headBytes, pairs.position(pair));
            assertEquals(start, pairs.logicalOffset(pair));
            ByteBuffer read = ByteBuffer.allocateDirect(value.length);
            int ticket = epochs.enter();
            try {
                engine.reads().read(engine.current(), pairs.valueOffset(pair), read, 0, value.length);
            } finally {
                epochs.exit(ticket);
            }
            assertEquals(ByteBuffer.wrap(value), read);
            int bytes = RecordFormat.recordBytes(key.length, value.length);
            headBytes += bytes - value.length;
            start += bytes;
        }
        assertEquals(headBytes, pairs.bytes(0, pairs.count()));
        assertEquals(BEFORE + end, start);
    }

    private void assertDirectory() {
        Fingerprints fingerprints = new Fingerprints();
        int base = pairs.makeDirectory(fingerprints, 5, 10);
        ByteBuffer made = pairs.memory();
        assertEquals(end, Directory.dataBytes(made, base));
        assertEquals(pairs.count(), Directory.pairCount(made, base));
        assertEquals(1, Directory.skipped(made, base));
        for (int pair = 0; pair < pairs.count(); pair++) {
            byte[] key = keys.get(pair);
            int start = Directory.relativePosition(made, base, pair);
            assertEquals(pairs.logicalOffset(pair), BEFORE + start);
            assertEquals(RecordFormat.checksum(records, start), Directory.checksum(made, base, pair));
            assertEquals(pair, Directory.candidate(made, base, fingerprints.of(key, key.length), pair));
            assertEquals(pair, pairs.find(key, key.length), "behind a directory that may have moved them");
        }
    }

    @Test
    void keysAreFoundAndValuesAreWhereTheyAre() {
        int[] valueBytes = {3, 200_000, 0, 5000, 10, 20, 511, 70_000, 1};
        for (int i = 0; i < valueBytes.length; i++) {
            write(2 * i, 2 + 30 * i, valueBytes[i]);
        }
        writeToSpace();
        for (int counted : new int[] {valueBytes.length, Interval.UNKNOWN_PAIRS}) {
            take(counted);
            assertTaken();
            assertEquals(3, pairs.lowerBound(new byte[] {7, 5}, 2));
            assertEquals(-1, pairs.find(new byte[] {7, 5}, 2));
            assertDirectory();
        }
        context.forget();
        assertEquals(0, pairs.count());
    }

    @Test
    void longKeysNeedMoreMemoryThanThereIs() {
        for (int i = 0; i < 6; i++) {
            write(i, RecordFormat.MAX_KEY_BYTES - 5000 * i, i % 2 * 100_000);
        }
        writeToSpace();
        take(6);
        assertTrue(context.largeBytes() > 0);
        assertTaken();
        assertDirectory();
        context.forget();
        take(6);
        assertTaken();
    }

    private long positionOfRefusal(int counted) {
        BadRecordException e = assertThrows(BadRecordException.class, () -> take(counted));
        assertEquals(0, pairs.count());
        return e.position();
    }

    @Test
    void pairsOutOfOrderOrTooManyOrTooFewAreRefused() {
        write(1, 2, 3000);
        write(4, 2, 3000);
        int third = end;
        write(4, 2, 10);
        writeToSpace();
        assertEquals(third, positionOfRefusal(3));
        assertEquals(third, positionOfRefusal(Interval.UNKNOWN_PAIRS));
        end = third;
        assertEquals(third, positionOfRefusal(1));
        assertEquals(third, positionOfRefusal(3));
        end = third - 1;
        assertEquals(RecordFormat.recordBytes(2, 3000), positionOfRefusal(2));
    }
}
