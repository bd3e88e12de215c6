package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.open.StoreOpener;
import io.flexdb.internal.write.BatchPayload;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nothing of a keyspace that has lost its name, or of one that is gone, ever shows under another name. */
class FlexDBSalvageKeyspacesTest {
    private static final Path FRESH = Path.of("/fresh");
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space/data");
    private static final int PAIRS = 300;

    private final SimulatedVfs vfs = new SimulatedVfs();

    private static byte[] key(int i) {
        return FlexDBCheckpointTest.key(i);
    }

    private static byte[] value(int i) {
        return FlexDBCheckpointTest.value(i, 100);
    }

    private static void fill(Keyspace keyspace, int from) {
        for (int i = 0; i < PAIRS; i++) {
            keyspace.put(key(from + i), value(from + i));
        }
    }

    /** A closed store: the default keyspace and "users", which has the number 1, "gone", dropped, and "visits". */
    private void makeStore() {
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            for (int i = 0; i < PAIRS; i++) {
                db.put(key(i), value(i));
            }
            fill(db.createKeyspace("users"), 1000);
            fill(db.createKeyspace("gone"), 2000);
            fill(db.createKeyspace("visits"), 3000);
            db.dropKeyspace("gone");
        }
    }

    /** Flips a bit of the record of a name, and with it of all that lies in the same frame. */
    private void damageNames(String name) {
        byte[] bytes = vfs.content(DATA);
        byte[] record = ("\u0001" + name).getBytes(StandardCharsets.UTF_8);
        int damaged = 0;
        for (int i = 0; i + record.length < bytes.length; i++) {
            if (bytes[i] == 0 && Arrays.equals(bytes, i + 1, i + 1 + name.length(), record, 1, record.length)) {
                bytes[i + 1] ^= 1;
                damaged++;
            }
        }
        assertTrue(damaged > 0, "no name");
        vfs.setContent(DATA, bytes);
    }

    private FlexDBSalvageReport salvage() {
        return FlexDBSalvage.salvage(
                vfs, StoreDriver.DIRECTORY, FRESH, StoreDriver.SMALL, Progress.NONE, new NoThreads());
    }

    private FlexDB openFresh() {
        return FlexDB.open(vfs, FRESH, StoreDriver.SMALL, true);
    }

    private static void requireAll(Keyspace keyspace, int from) {
        requireFrom(keyspace, from, 0);
    }

    /** Has those behind the first few, which may lie in a frame that is damaged. */
    private static void requireFrom(Keyspace keyspace, int from, int mostLost) {
        int first = 0;
        while (first < mostLost && keyspace.get(key(from + first)) == null) {
            first++;
        }
        int count = first;
        try (FlexCursor cursor = keyspace.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                assertArrayEquals(key(from + count), cursor.key());
                assertArrayEquals(value(from + count), cursor.value());
                count++;
            }
        }
        assertEquals(PAIRS, count);
    }

    private static boolean isEmpty(Keyspace keyspace) {
        try (FlexCursor cursor = keyspace.cursor()) {
            cursor.seekToFirst();
            return !cursor.isValid();
        }
    }

    @Test
    void pairsOfKeyspacesThatHaveLostTheirNamesComeUnderOthers() {
        makeStore();
        damageNames("users");
        FlexDBSalvageReport report = salvage();
        assertEquals(List.of("recovered-1", "recovered-3"), report.recoveredKeyspaces(), report::toString);
        assertFalse(report.isComplete());
        String text = report.toString();
        assertTrue(text.contains("none; its 300 pairs are in keyspace \"recovered-3\""), text);
        for (int opening = 0; opening < 2; opening++) {
            try (FlexDB db = openFresh()) {
                assertTrue(db.check().isSound());
                requireFrom(db.keyspace("recovered-1"), 1000, 20);
                requireAll(db.keyspace("recovered-3"), 3000);
                for (int i = 0; i < 4; i++) {
                    assertTrue(isEmpty(db.createKeyspace("orders " + opening + "/" + i)), "new keyspace " + i);
                }
            }
        }
    }

    @Test
    void aRecoveredNameIsNoOtherKeyspaces() {
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            fill(db.createKeyspace("users"), 1000);
            fill(db.createKeyspace("recovered-1"), 2000);
        }
        withoutName("users");
        FlexDBSalvageReport report = salvage();
        assertEquals(List.of("recovered-1-2"), report.recoveredKeyspaces(), report::toString);
        try (FlexDB db = openFresh()) {
            requireAll(db.keyspace("recovered-1"), 2000);
            requireAll(db.keyspace("recovered-1-2"), 1000);
        }
    }

    /** As a salvage by an earlier build has left it. */
    private void without(BatchPayload removed) {
        try (Store store =
                StoreOpener.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL.settings(), new NoThreads())) {
            store.writer().write(removed, Force.WHEN_ASKED);
        }
    }

    private void withoutName(String name) {
        BatchPayload removed = new BatchPayload();
        byte[] from = name.getBytes(StandardCharsets.UTF_8);
        byte[] to = Arrays.copyOf(from, from.length + 1);
        removed.deleteRange(KeyHeads.DIRECTORY.stored(from), KeyHeads.DIRECTORY.stored(to));
        without(removed);
    }

    private void withoutNextNumber() {
        BatchPayload removed = new BatchPayload();
        removed.deleteRange(KeyHeads.DIRECTORY.begin(), KeyHeads.DIRECTORY.stored(new byte[] {0}));
        without(removed);
    }

    @Test
    void aStoreThatAnEarlierBuildHasSalvagedGivesNoNumberAgain() {
        makeStore();
        withoutName("visits");
        withoutName("users");
        withoutNextNumber();
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            assertEquals(List.of(), db.keyspaces());
            for (int i = 0; i < 4; i++) {
                assertTrue(isEmpty(db.createKeyspace("orders" + i)), "new keyspace " + i);
            }
        }
        FlexDBSalvageReport report = salvage();
        assertEquals(List.of("recovered-1", "recovered-3"), report.recoveredKeyspaces(), report::toString);
    }

    @Test
    void namesWithoutTheNextNumberAreStillThere() {
        makeStore();
        withoutNextNumber();
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            requireAll(db.keyspace("users"), 1000);
            requireAll(db.keyspace("visits"), 3000);
            assertTrue(isEmpty(db.createKeyspace("orders")));
        }
    }

    /** Pairs of a dropped keyspace in a part of the space that is out of date come back, under no other's name. */
    @Test
    void whatIsLeftOfADroppedKeyspaceShowsInNoNewOne() {
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            fill(db.createKeyspace("users"), 1000);
            fill(db.createKeyspace("gone"), 2000);
        }
        withoutName("gone"); // its pairs stay: as if the batch that dropped it had come over in part
        FlexDBSalvageReport report = salvage();
        assertEquals(List.of("recovered-2"), report.recoveredKeyspaces(), report::toString);
        try (FlexDB db = openFresh()) {
            assertTrue(isEmpty(db.createKeyspace("new")));
            requireAll(db.keyspace("recovered-2"), 2000);
            db.dropKeyspace("recovered-2");
            assertTrue(isEmpty(db.createKeyspace("newer")));
        }
    }

    /** A file of pairs has no numbers of keyspaces, so it is at home in any store. */
    @Test
    void anExportFromAStoreWithOtherNumbersComesIntoItsKeyspaceAlone() {
        makeStore();
        Path file = Path.of("/visits");
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            db.keyspace("visits").exportTo(file);
        }
        try (FlexDB db = openFresh()) {
            Keyspace first = db.createKeyspace("first");
            fill(first, 5000);
            db.createKeyspace("visits").importFrom(file);
            requireAll(first, 5000);
            requireAll(db.keyspace("visits"), 3000);
            assertNull(db.get(key(3000)));
        }
    }

    @Test
    void lostRangesAreInTheStoreItself() {
        makeStore();
        byte[] bytes = vfs.content(DATA);
        int at = new String(bytes, StandardCharsets.ISO_8859_1)
                .indexOf(new String(value(1150), StandardCharsets.ISO_8859_1));
        assertTrue(at > 0);
        bytes[at + 3] ^= 4;
        vfs.setContent(DATA, bytes);
        FlexDBSalvageReport report = salvage();
        assertFalse(report.isComplete());
        assertEquals(List.of(), report.recoveredKeyspaces());
        try (FlexDB db = openFresh()) {
            List<FlexDBSalvage.LostRange> lost = FlexDBSalvage.lostRanges(db);
            for (int i = 0; i < PAIRS; i++) {
                byte[] key = key(1000 + i);
                boolean isTold = lost.stream()
                        .anyMatch(range -> range.keyspace().equals("users")
                                && Arrays.compareUnsigned(range.from(), key) <= 0
                                && (range.to() == null || Arrays.compareUnsigned(key, range.to()) < 0));
                assertEquals(db.keyspace("users").get(key) == null, isTold, "key " + i + " of " + lost);
            }
            assertTrue(lost.stream().allMatch(range -> range.keyspace().equals("users")), lost::toString);
            db.dropKeyspace(FlexDBSalvage.LOST_KEYSPACE);
            assertEquals(List.of(), FlexDBSalvage.lostRanges(db));
        }
    }
}
