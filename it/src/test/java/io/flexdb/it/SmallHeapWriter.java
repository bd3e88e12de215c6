package io.flexdb.it;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBResources;
import io.flexdb.base.memory.DirectMemory;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * What {@link SmallHeapTest} runs in a JVM of its own: with default options it puts values of 1 KB at random keys and
 * reads some of them in between, then opens the store again and verifies all. Ends with 0 if nothing was thrown or
 * wrong.
 */
final class SmallHeapWriter {
    private static final int VALUE_BYTES = 1000;
    private static final int PUTS_PER_READ = 10;
    private static final double CLOSE_ENOUGH = 0.1;
    private static final int MOST_TRIES = 50;
    private static final long FIXED_BYTES = 2 << 20; // the JDK's own buffers

    private SmallHeapWriter() {}

    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        int puts = Integer.parseInt(args[1]);
        int keys = puts - puts / 10; // some are written again
        byte[] key = new byte[8];
        byte[] value = new byte[VALUE_BYTES];
        SplittableRandom random = new SplittableRandom(Long.parseLong(args[2]));
        int[] rounds = new int[keys]; // the last write of each key
        long begin = System.nanoTime();
        String memory;
        long direct;
        try (FlexDB db = FlexDB.open(directory)) {
            for (int i = 1; i <= puts; i++) {
                int which = i <= keys ? (int) ((i - 1L) * 7_919 % keys) : random.nextInt(keys);
                rounds[which] = i;
                db.put(key(key, which), value(value, which, i));
                if (i % PUTS_PER_READ == 0) {
                    int read = random.nextInt(keys);
                    requireValue(db.get(key(key, read)), read, rounds[read]);
                }
                if (i % (puts / 10) == 0) {
                    scanSome(db, random.nextInt(keys));
                }
            }
            long total;
            int tries = 0;
            do { // buffers that nobody has any more are the JVM's until it has looked for them
                Waiting.collect();
                direct = directBytes();
                total = db.stats().memory().totalBytes()
                        + FlexDBResources.shared().stats().recycledBytes(); // which the store has given back
            } while (Math.abs(direct - total) > CLOSE_ENOUGH * direct + FIXED_BYTES && ++tries < MOST_TRIES);
            memory = db.stats().memory().toString();
            if (tries == MOST_TRIES) {
                throw new AssertionError(
                        "the store says " + total + " bytes, but the JVM has " + direct + ": " + memory);
            }
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        try (FlexDB db = FlexDB.open(directory)) {
            for (int which = 0; which < keys; which++) {
                requireValue(db.get(key(key, which)), which, rounds[which]);
            }
        }
        System.out.printf(
                Locale.ROOT,
                "heap %d MiB: %d puts with reads in %.1f s, %.0f a second; direct memory %d MiB, largest resident %d MiB; %s%n",
                Runtime.getRuntime().maxMemory() >> 20,
                puts,
                seconds,
                puts / seconds,
                direct >> 20,
                largestResidentBytes() >> 20,
                memory);
    }

    private static byte[] key(byte[] key, int which) {
        ByteBuffer.wrap(key).putLong(which * 0x9E3779B97F4A7C15L);
        return key;
    }

    private static byte[] value(byte[] value, int which, int round) {
        Arrays.fill(value, (byte) round);
        ByteBuffer.wrap(value).putInt(which).putInt(round);
        return value;
    }

    private static void requireValue(byte[] found, int which, int round) {
        byte[] expected = round == 0 ? null : value(new byte[VALUE_BYTES], which, round);
        if (!Arrays.equals(found, expected)) {
            throw new AssertionError("key " + which + " has not the value of put " + round);
        }
    }

    private static void scanSome(FlexDB db, int from) {
        try (FlexCursor cursor = db.cursor()) {
            cursor.seek(key(new byte[8], from));
            for (int i = 0; i < 1000 && cursor.isValid(); i++, cursor.next()) {
                if (cursor.value().length != VALUE_BYTES) {
                    throw new AssertionError("a value of " + cursor.valueLength() + " bytes");
                }
            }
        }
    }

    private static long directBytes() {
        return DirectMemory.mappedBytes()
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }

    /** Linux only; elsewhere 0. */
    private static long largestResidentBytes() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return 0;
        }
        return Files.readAllLines(status, StandardCharsets.US_ASCII).stream()
                .filter(line -> line.startsWith("VmHWM"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .sum();
    }
}
