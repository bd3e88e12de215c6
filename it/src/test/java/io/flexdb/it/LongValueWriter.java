package io.flexdb.it;

import io.flexdb.FlexDB;
import io.flexdb.ValueReader;
import io.flexdb.WriteOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What {@link SmallHeapTest} runs in a JVM of its own: values longer than the heap are put from a stream, in each of
 * several rounds, and read by parts, before and after the store is opened again. Ends with 0 if all was well.
 */
final class LongValueWriter {
    private static final int VALUE_BYTES = 64 << 20;
    private static final int ROUNDS = 3;

    private LongValueWriter() {}

    public static void main(String[] args) throws IOException {
        if (Runtime.getRuntime().maxMemory() >= VALUE_BYTES) {
            throw new AssertionError("the heap has room for a value");
        }
        Path directory = Path.of(args[0]);
        byte[] key = {'k'};
        byte[] other = {'o'};
        for (int round = 0; round < ROUNDS; round++) {
            try (FlexDB db = FlexDB.open(directory)) {
                db.put(key, Channels.newChannel(new Numbers(round)), VALUE_BYTES);
                requireValue(db, key, round);
                if (round == ROUNDS - 1) {
                    try (ValueReader value = db.openValue(key)) { // of the store itself
                        db.put(other, value, value.size(), WriteOptions.timeToLive(Duration.ofDays(1)));
                    }
                    requireValue(db, other, round);
                }
            }
            try (FlexDB db = FlexDB.open(directory)) {
                requireValue(db, key, round);
            }
        }
    }

    private static void requireValue(FlexDB db, byte[] key, int seed) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(1 << 16);
        try (ValueReader value = db.openValue(key)) {
            for (long at = 0; value.read(part.clear()) > 0; at += part.limit()) {
                part.flip();
                byte[] expected = new byte[part.limit()];
                new Numbers(seed).at(at, expected);
                if (!part.equals(ByteBuffer.wrap(expected))) {
                    throw new AssertionError("round " + seed + " has another part at " + at);
                }
            }
            if (value.size() != VALUE_BYTES || value.position() != VALUE_BYTES) {
                throw new AssertionError(value + " should have " + VALUE_BYTES + " bytes");
            }
        }
    }

    /** Bytes that say where they are. */
    private static final class Numbers extends InputStream {
        private final int seed;
        private long position;

        Numbers(int seed) {
            this.seed = seed;
        }

        private byte at(long index) {
            return (byte) ((index >>> 3) * 0x9E3779B97F4A7C15L + seed >>> 8 * (index & 7));
        }

        private void at(long index, byte[] bytes) {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = at(index + i);
            }
        }

        @Override
        public int read() {
            return at(position++) & 0xFF;
        }
    }
}
