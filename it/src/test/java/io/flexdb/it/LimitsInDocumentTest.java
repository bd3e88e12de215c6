package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBResources;
import io.flexdb.Keyspace;
import io.flexdb.Transaction;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.interval.SortedRun;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.open.JvmMemory;
import io.flexdb.internal.open.MemoryBudget;
import io.flexdb.storage.ConflictException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The limits in docs/limits.md are those of the code: what is at a limit is taken, what is beyond it is refused. */
class LimitsInDocumentTest {
    private static final byte[] KEY = {1};

    @TempDir
    private Path directory;

    private static Map<String, String> rows() throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        for (String line : Sources.document("limits.md").lines().toList()) {
            String[] cells = line.split("\\|", -1);
            if (cells.length == 4) {
                rows.put(cells[1].strip(), cells[2].strip());
            }
        }
        return rows;
    }

    /** The numbers of a row, without their commas. */
    private static long[] numbers(String row) throws IOException {
        String limit = rows().get(row);
        assertTrue(limit != null, () -> "no row: " + row);
        return Pattern.compile("\\b\\d[\\d,]*")
                .matcher(limit)
                .results()
                .mapToLong(number -> Long.parseLong(number.group().replace(",", "")))
                .toArray();
    }

    @Test
    void keysAreAsLongAsThePageSays() throws IOException {
        long[] limits = numbers("key");
        byte[] longest = new byte[(int) limits[1]];
        byte[] longestNamed = new byte[(int) limits[2]];
        try (FlexDB db = FlexDB.open(directory)) {
            Keyspace named = db.createKeyspace("named");
            db.put(new byte[(int) limits[0]], KEY);
            db.put(longest, KEY);
            named.put(longestNamed, KEY);
            assertRefused(() -> db.put(new byte[(int) limits[0] - 1], KEY));
            assertRefused(() -> db.put(new byte[longest.length + 1], KEY));
            assertRefused(() -> named.put(new byte[longestNamed.length + 1], KEY));
            Arrays.fill(longest, (byte) 0xFF);
            Arrays.fill(longestNamed, (byte) 0xFF);
            db.put(longestNamed, KEY);
            assertRefused(() -> db.put(longest, KEY));
        }
    }

    @Test
    void valuesAreAsLongAsThePageSays() throws IOException {
        assertEquals(
                "0 to " + withCommas(FlexDB.MAX_VALUE_BYTES) + " bytes, which is 1 MiB less than 1 GiB",
                rows().get("value"));
        assertEquals((1 << 30) - (1 << 20), FlexDB.MAX_VALUE_BYTES);
    }

    @Test
    void memtablesAreAsLargeAsThePageSays() throws IOException {
        JvmMemory much = new JvmMemory(8L << 30, 8L << 30, 1L << 40);
        long bytes = MemoryBudget.of(new StoreSettings(), much).memtables().bytes();
        assertEquals(bytes >> 20, numbers("pair whose value is not a large value")[0]);
    }

    @Test
    void keyspacesAreAsManyAndNamedAsThePageSays() throws IOException {
        assertEquals(KeyHeads.MAX_NUMBER - 1, numbers("keyspaces in the life of a store")[0]);
        long[] limits = numbers("name of a keyspace");
        try (FlexDB db = FlexDB.open(directory)) {
            db.createKeyspace("ä".repeat((int) limits[1] / 2) + "n"); // two bytes each
            assertRefused(() -> db.createKeyspace("n".repeat((int) limits[1] + 1)));
            assertRefused(() -> db.createKeyspace("n".repeat((int) limits[0] - 1)));
        }
    }

    @Test
    void rangeDeletesAreAsManyAsThePageSays() throws IOException {
        assertEquals(MemTable.MAX_RANGES, numbers("range deletes between two commits")[0]);
        assertEquals(WriteBatch.MAX_RANGES, numbers("write batch")[0]);
        long most = numbers("transaction")[0];
        try (FlexDB db = FlexDB.open(directory);
                Transaction transaction = db.begin()) {
            WriteBatch batch = new WriteBatch();
            for (int i = 0; i < most; i++) {
                byte[] from = {(byte) (i >> 8), (byte) i};
                byte[] to = {(byte) (i >> 8), (byte) i, 0};
                batch.deleteRange(from, to);
                transaction.deleteRange(from, to);
            }
            assertRefused(() -> batch.deleteRange(new byte[] {100}, null));
            assertRefused(() -> transaction.deleteRange(new byte[] {100}, null));
        }
    }

    @Test
    void transactGivesUpAfterAsManyRunsAsThePageSays() throws IOException {
        AtomicInteger runs = new AtomicInteger();
        try (FlexDB db = FlexDB.open(directory)) {
            assertThrows(
                    ConflictException.class,
                    () -> db.transactWithoutResult(transaction -> {
                        db.put(KEY, new byte[] {(byte) runs.incrementAndGet()});
                        transaction.put(KEY, KEY);
                    }));
        }
        assertEquals(numbers("runs of `transact` for one call")[0], runs.get());
    }

    @Test
    void loadsAreAsLargeAsThePageSays() throws IOException {
        String row = "bulk load, and any write larger than a memtable";
        assertEquals(SortedRun.MAX_PIECES, numbers(row)[0]);
        long extentBytes = FlexDBOptions.defaults().space().segmentBytes() / 32;
        assertEquals(SortedRun.MAX_PIECES * extentBytes >> 40, numbers(row)[1]);
    }

    @Test
    void timesToLiveAreAsShortAsThePageSays() throws IOException {
        Duration shortest = Duration.ofMillis(numbers("time to live")[0]);
        assertEquals(shortest, WriteOptions.timeToLive(shortest).timeToLive().orElseThrow());
        assertEquals(
                shortest,
                WriteOptions.timeToLive(Duration.ofNanos(1)).timeToLive().orElseThrow());
        assertRefused(() -> WriteOptions.timeToLive(Duration.ZERO));
    }

    @Test
    void dataFilesAreAsLongAsThePageSays() throws IOException {
        long most = numbers("data file")[0] << 40;
        FlexDBOptions options = FlexDBOptions.defaults();
        FlexDBOptions longest = options.withSpace(options.space().withMaxDataBytes(most - 1));
        assertDoesNotThrow(
                () -> FlexDB.open(directory.resolve("store"), longest).close());
        assertRefused(() -> FlexDB.open(
                        directory.resolve("another"),
                        options.withSpace(options.space().withMaxDataBytes(most)))
                .close());
    }

    @Test
    void theLeastBudgetIsThatOfThePage() throws IOException {
        assertEquals(FlexDBResources.MIN_MEMORY_BYTES >> 20, numbers("stores in one JVM")[0]);
    }

    @Test
    void indexesTakeAsMuchMemoryAsThePageOfOptionsSays() throws IOException {
        String tuning = Sources.document("tuning.md");
        long bytes = number("FlexTree: (\\d+) bytes a pair in random order", tuning)
                + number("Sparse index: (\\d+) bytes a pair of 1 KB in random order", tuning);
        String limits = Sources.document("limits.md").replaceAll("\\s+", " ");
        assertEquals(bytes, number("up to (\\d+) bytes a pair of 1 KB if keys come in random order", limits));
        assertEquals(bytes, number("a terabyte of such pairs takes up to (\\d+) GB", limits));
    }

    private static long number(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertTrue(matcher.find(), pattern);
        return Long.parseLong(matcher.group(1));
    }

    private static void assertRefused(Executable action) {
        assertThrows(IllegalArgumentException.class, action);
    }

    private static String withCommas(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
