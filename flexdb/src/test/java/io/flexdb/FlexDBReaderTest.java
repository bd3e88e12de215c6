package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.FilePermissions;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.MergeException;
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreReplacedException;
import io.flexdb.storage.UnsupportedFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reader beside the writer promises, one thing at a time. */
class FlexDBReaderTest {
    private static final FlexDBOptions SMALL = StoreDriver.SMALL.withMergeFunction(MergeFunction.APPEND);

    @TempDir
    private Path temporary;

    private Path directory() {
        return temporary.resolve("store");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static byte[] key(int i) {
        return bytes(String.format(Locale.ROOT, "key%05d", i));
    }

    private static byte[] value(int i) {
        byte[] value = new byte[50 + i % 200];
        Arrays.fill(value, (byte) i);
        return value;
    }

    private static void fill(FlexDB db, int from, int to) {
        for (int i = from; i < to; i++) {
            db.put(key(i), value(i));
        }
    }

    /**
     * A writer that does all the work of its store itself. One with threads may commit and collect behind a refresh, and
     * use space again that the reader has not read yet: then the reader is overtaken, as it may be.
     */
    private FlexDB openWithoutThreads() {
        return FlexDB.open(new RealVfs(FilePermissions.OWNER), directory(), SMALL, true);
    }

    /** Names, lengths, times and contents of all files below a directory. */
    private static TreeMap<String, String> files(Path directory) throws IOException {
        TreeMap<String, String> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                String content = Files.isDirectory(path) ? "" : "" + Arrays.hashCode(Files.readAllBytes(path));
                found.put(path.toString(), Files.getLastModifiedTime(path) + " " + Files.size(path) + " " + content);
            }
        }
        return found;
    }

    // ---- what there is

    @ParameterizedTest
    @EnumSource
    void aStoreThatNobodyHasOpenIsReadAndLeftAsItIs(Reads reads) throws IOException {
        FlexDBOptions options = SMALL.withReads(reads);
        try (FlexDB db = FlexDB.open(directory(), options)) {
            fill(db, 0, 3000);
            db.delete(key(7));
        }
        TreeMap<String, String> before = files(directory());
        try (FlexDBReader reader = FlexDB.openReadOnly(directory(), options)) {
            assertEquals(3001, reader.sequence());
            for (int i = 0; i < 3000; i++) {
                assertArrayEquals(i == 7 ? null : value(i), reader.get(key(i)));
            }
            assertEquals(3001, reader.refresh());
            assertEquals(2999, StoreDriver.all(reader.cursor()).size());
        }
        assertEquals(before, files(directory()));
    }

    @Test
    void aStoreWhoseWriterWasKilledIsReadAndLeftAsItIs() {
        StoreDriver store = new StoreDriver(SMALL);
        for (int i = 0; i < 3000; i++) {
            store.put(key(i), value(i));
        }
        SimulatedVfs killed = store.vfs.kill();
        SimulatedVfs before = killed.copy();
        try (FlexDBReader reader = FlexDB.openReadOnly(killed, StoreDriver.DIRECTORY, store.options, true)) {
            assertEquals(3000, reader.sequence());
            StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(reader.cursor()), "killed");
        }
        assertEquals(before.files(), killed.files());
        for (Path file : before.files()) {
            assertArrayEquals(before.content(file), killed.content(file), file.toString());
        }
    }

    private static void copyFiles(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }

    @Test
    void theRightToReadIsEnough() throws IOException {
        try (FlexDB db = FlexDB.open(directory(), SMALL)) {
            fill(db, 0, 1000);
        }
        try (Stream<Path> paths = Files.walk(directory())) {
            for (Path path : paths.toList()) {
                String rights = Files.isDirectory(path) ? "r-xr-xr-x" : "r--r--r--";
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(rights));
            }
        }
        try (FlexDBReader reader = FlexDB.openReadOnly(directory(), SMALL)) {
            assertArrayEquals(value(5), reader.get(key(5)));
        } finally {
            try (Stream<Path> paths = Files.walk(directory())) {
                for (Path path : paths.filter(Files::isDirectory).toList()) {
                    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
                }
            }
        }
    }

    @Test
    void nothingButReadsIsAskedOfTheFiles() {
        StoreDriver store = new StoreDriver(SMALL);
        HookedVfs files = new HookedVfs(store.vfs, (kind, path) -> assertSame(HookedVfs.Kind.READ, kind));
        FlexDBReader reader = FlexDB.openReadOnly(files, StoreDriver.DIRECTORY, store.options, true);
        for (int i = 0; i < 600; i++) {
            FlexDBCrashTest.batchOverManyIntervals(store, i / 60, i);
            if (i % 30 == 0) {
                reader.refresh();
                reader.containsKey(key(i));
            }
        }
        reader.close();
        store.db.close();
        FlexDB.openReadOnly(files, StoreDriver.DIRECTORY, store.options, true).close();
    }

    // ---- following

    @Test
    void whatTheWriterDoesShowsAfterARefresh() {
        try (FlexDB db = openWithoutThreads();
                FlexDBReader reader = FlexDB.openReadOnly(directory(), SMALL);
                FlexDBReader another = FlexDB.openReadOnly(directory(), SMALL)) {
            assertEquals(0, reader.sequence());
            db.put(bytes("a"), bytes("1"));
            assertNull(reader.get(bytes("a")));
            assertEquals(1, reader.refresh());
            assertArrayEquals(bytes("1"), reader.get(bytes("a")));
            assertNull(another.get(bytes("a")));
            db.merge(bytes("a"), bytes("2"));
            db.write(new WriteBatch().put(bytes("b"), bytes("x")).put(bytes("c"), bytes("y")));
            assertEquals(4, reader.refresh());
            assertArrayEquals(bytes("12"), reader.get(bytes("a")));
            assertEquals(2, reader.valueLength(bytes("a")));
            assertEquals(2, reader.valueLength(ByteBuffer.wrap(bytes("a"))));
            assertEquals(1, reader.get(bytes("b"), new byte[4], 1));
            ByteBuffer room = ByteBuffer.allocate(8);
            assertEquals(1, reader.get(ByteBuffer.wrap(bytes("c")), room));
            assertEquals(1, room.position());
            List<byte[]> several = reader.multiGet(List.of(bytes("c"), bytes("no"), bytes("b")));
            assertArrayEquals(bytes("y"), several.get(0));
            assertNull(several.get(1));
            assertArrayEquals(bytes("x"), several.get(2));
            int[] shown = {0};
            reader.multiGet(List.of(ByteBuffer.wrap(bytes("b"))), (value, index) -> shown[0] += value.remaining());
            assertEquals(1, shown[0]);
            db.deleteRange(bytes("b"), null);
            fill(db, 0, 4000);
            assertEquals(4005, reader.refresh());
            assertEquals(4005, another.refresh());
            assertFalse(reader.containsKey(bytes("b")));
            assertEquals(
                    StoreDriver.all(db.cursor()).size(),
                    StoreDriver.all(reader.cursor()).size());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReaderFollowsFromOneWriterToTheNext(boolean killed) {
        StoreDriver store = new StoreDriver(SMALL);
        SimulatedVfs files = store.vfs;
        FlexDBReader reader = FlexDB.openReadOnly(files, StoreDriver.DIRECTORY, store.options, true);
        for (int life = 0; life < 5; life++) {
            for (int i = 0; i < 40 * life + 1; i++) {
                FlexDBCrashTest.batchOverManyIntervals(store, life, i);
                if (i % 7 == 0) {
                    assertEquals(store.oracle.sequence(), reader.refresh());
                }
            }
            store.db.close();
            assertEquals(store.oracle.sequence(), reader.refresh());
            StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(reader.cursor()), "closed, life " + life);
            store.open();
            assertEquals(store.oracle.sequence(), reader.refresh());
            if (killed) { // whose logs the next one copies
                FlexDBCrashTest.batchOverManyIntervals(store, life, 500);
                reader.refresh();
                store.kill("life " + life);
                files = store.vfs;
                reader.close(); // killed with the machine that these files stand for
                reader = FlexDB.openReadOnly(files, StoreDriver.DIRECTORY, store.options, true);
            }
            assertEquals(store.oracle.sequence(), reader.refresh());
            StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(reader.cursor()), "open, life " + life);
        }
        reader.close();
        store.db.close();
    }

    @Test
    void snapshotsAndCursorsStayAsTheyAre() {
        try (FlexDB db = FlexDB.open(directory(), SMALL)) {
            fill(db, 0, 100);
            try (FlexDBReader reader = FlexDB.openReadOnly(directory(), SMALL);
                    Snapshot snapshot = reader.snapshot();
                    FlexCursor cursor = reader.cursor();
                    FlexDBReader another = FlexDB.openReadOnly(directory(), SMALL)) {
                db.put(key(5), bytes("new"));
                db.put(key(1000), bytes("more"));
                reader.refresh();
                assertArrayEquals(bytes("new"), reader.get(key(5)));
                assertArrayEquals(value(5), snapshot.get(key(5)));
                assertEquals(100, snapshot.sequence());
                assertEquals(100, StoreDriver.all(cursor).size());
                try (FlexCursor ofSnapshot =
                        reader.cursor(ReadOptions.defaults().withSnapshot(snapshot))) {
                    assertEquals(100, StoreDriver.all(ofSnapshot).size());
                }
                ReadOptions ofOther = ReadOptions.defaults().withSnapshot(snapshot);
                assertThrows(IllegalArgumentException.class, () -> another.cursor(ofOther));
                assertThrows(IllegalArgumentException.class, () -> db.cursor(ofOther));
            }
        }
    }

    @Test
    void bulkLoadsAreThereOnceTheyAreAskedFor() {
        try (FlexDB db = openWithoutThreads();
                FlexDBReader reader = FlexDB.openReadOnly(directory(), SMALL)) {
            fill(db, 0, 300);
            for (int round = 0; round < 5; round++) {
                try (BulkLoad load = db.bulkLoad()) {
                    for (int i = 1000; i < 2000; i++) {
                        load.add(key(i), value(i + round));
                    }
                    load.commit();
                }
                db.put(bytes("after"), value(round));
                assertEquals(301 + round, reader.refreshWithLoads());
                assertArrayEquals(value(round), reader.get(bytes("after")));
                assertEquals(1301, StoreDriver.all(reader.cursor()).size());
                assertArrayEquals(value(1500 + round), reader.get(key(1500)));
                try (FlexDBReader another = FlexDB.openReadOnly(directory(), SMALL)) {
                    assertArrayEquals(value(1500 + round), another.get(key(1500)));
                }
            }
        }
    }

    @Test
    void pairsExpireForAReaderToo() {
        TestClock clock = new TestClock();
        FlexDBOptions options = SMALL.withClock(clock);
        try (FlexDB db = FlexDB.open(directory(), options)) {
            db.put(bytes("a"), bytes("1"), WriteOptions.timeToLive(Duration.ofMillis(10)));
            try (FlexDBReader reader = FlexDB.openReadOnly(directory(), options)) {
                assertEquals(
                        clock.instant().plusMillis(10),
                        reader.expiresAt(bytes("a")).orElseThrow());
                assertTrue(reader.containsKey(bytes("a")));
                clock.advance(10);
                assertFalse(reader.containsKey(bytes("a")));
                assertEquals(Optional.empty(), reader.expiresAt(bytes("a")));
            }
        }
    }

    @Test
    void keyspacesComeAndGo() {
        try (FlexDB db = FlexDB.open(directory(), SMALL);
                FlexDBReader reader = FlexDB.openReadOnly(directory(), SMALL)) {
            assertEquals(List.of(), reader.keyspaces());
            assertThrows(NoSuchKeyspaceException.class, () -> reader.keyspace("users"));
            Keyspace users = db.createKeyspace("users");
            users.put(bytes("a"), bytes("1"));
            db.put(bytes("a"), bytes("2"));
            reader.refresh();
            assertEquals(List.of("users"), reader.keyspaces());
            KeyspaceReader read = reader.keyspace("users");
            assertEquals("users", read.name());
            assertEquals("", reader.name());
            assertArrayEquals(bytes("1"), read.get(bytes("a")));
            assertArrayEquals(bytes("2"), reader.get(bytes("a")));
            assertEquals(1, StoreDriver.all(read.cursor()).size());
            try (Snapshot snapshot = reader.snapshot();
                    Snapshot ofUsers = read.snapshot();
                    Snapshot ofWriter = db.snapshot()) {
                db.dropKeyspace("users");
                db.createKeyspace("users").put(bytes("a"), bytes("3"));
                assertArrayEquals(bytes("1"), read.get(bytes("a")));
                reader.refresh();
                assertThrows(NoSuchKeyspaceException.class, () -> read.get(bytes("a")));
                assertThrows(NoSuchKeyspaceException.class, read::cursor);
                assertThrows(NoSuchKeyspaceException.class, read::snapshot);
                assertArrayEquals(bytes("3"), reader.keyspace("users").get(bytes("a")));
                assertArrayEquals(bytes("1"), snapshot.in("users").get(bytes("a")));
                assertArrayEquals(bytes("1"), ofUsers.get(bytes("a")));
                assertArrayEquals(bytes("1"), ofWriter.in("users").get(bytes("a")));
                assertThrows(NoSuchKeyspaceException.class, () -> snapshot.in("others"));
            }
        }
    }

    // ---- what is not as it should be

    @Test
    void whatIsNoStoreIsRefusedAndNotMadeOne() throws IOException {
        assertThrows(NotAStoreException.class, () -> FlexDB.openReadOnly(directory()));
        assertFalse(Files.exists(directory()));
        Files.createDirectory(directory());
        assertThrows(NotAStoreException.class, () -> FlexDB.openReadOnly(directory()));
        assertEquals(0, files(directory()).size() - 1);
        Path file = Files.createFile(temporary.resolve("file"));
        assertThrows(NotAStoreException.class, () -> FlexDB.openReadOnly(file));
        assertThrows(NullPointerException.class, () -> FlexDB.openReadOnly(null));
        assertThrows(NullPointerException.class, () -> FlexDB.openReadOnly(directory(), null));
    }

    @Test
    void anotherFormatIsRefused() throws IOException {
        FlexDB.open(directory(), SMALL).close();
        Path options = directory().resolve("flexdb.options");
        Files.writeString(options, Files.readString(options).replace("format = ", "format = 9"));
        assertThrows(UnsupportedFormatException.class, () -> FlexDB.openReadOnly(directory()));
    }

    @Test
    void anotherStoreInItsPlaceIsTold() throws IOException {
        FlexDBReader reader;
        try (FlexDB db = FlexDB.open(directory(), SMALL)) {
            fill(db, 0, 100);
            reader = FlexDB.openReadOnly(directory(), SMALL);
        }
        Files.move(directory(), temporary.resolve("moved"));
        assertThrows(NotAStoreException.class, reader::refresh);
        try (FlexDB db = FlexDB.open(directory(), SMALL)) {
            fill(db, 0, 100);
            assertThrows(StoreReplacedException.class, reader::refresh);
        }
        assertThrows(StoreReplacedException.class, reader::refresh);
        assertArrayEquals(value(3), reader.get(key(3)));
        reader.close();
    }

    @Test
    void anEarlierStateOfTheStoreIsTold() throws IOException {
        Path copy = temporary.resolve("copy");
        FlexDBReader reader;
        try (FlexDB db = FlexDB.open(directory(), SMALL)) {
            fill(db, 0, 100);
        }
        copyFiles(directory(), copy);
        try (FlexDB db = FlexDB.open(directory(), SMALL)) {
            fill(db, 0, 200);
            reader = FlexDB.openReadOnly(directory(), SMALL);
        }
        Files.move(directory(), temporary.resolve("moved"));
        Files.move(copy, directory());
        FlexDB.open(directory(), SMALL).close();
        StoreReplacedException thrown = assertThrows(StoreReplacedException.class, reader::refresh);
        assertEquals(directory(), thrown.directory());
        assertEquals(300, reader.sequence());
        assertArrayEquals(value(150), reader.get(key(150)));
        reader.close();
    }

    @Test
    void operandsTakeAFunction() {
        try (FlexDB db = FlexDB.open(directory(), SMALL)) {
            db.merge(bytes("a"), bytes("1"));
            assertThrows(MergeException.class, () -> FlexDB.openReadOnly(directory()));
        }
    }

    @Test
    void aClosedReaderIsClosed() throws IOException {
        try (FlexDB db = FlexDB.open(directory(), SMALL)) {
            fill(db, 0, 1000);
            FlexDBReader reader = FlexDB.openReadOnly(directory(), SMALL);
            Snapshot snapshot = reader.snapshot();
            FlexCursor cursor = reader.cursor();
            cursor.seekToFirst();
            assertNotNull(cursor.key());
            fill(db, 0, 3000);
            reader.refresh();
            reader.close();
            reader.close();
            assertThrows(StoreClosedException.class, () -> reader.get(key(1)));
            assertThrows(StoreClosedException.class, reader::refresh);
            assertThrows(StoreClosedException.class, reader::cursor);
            assertThrows(StoreClosedException.class, () -> snapshot.get(key(1)));
            assertThrows(StoreClosedException.class, cursor::next);
            cursor.close();
            snapshot.close();
            assertEquals("FlexDBReader[" + directory() + "]", reader.toString());
        }
        assertEquals(List.of(), openFiles(), "when the writer has closed its own, too");
    }

    /** The descriptors that this process has for files of the store. */
    private List<String> openFiles() throws IOException {
        List<String> files = new ArrayList<>();
        Path all = Path.of("/proc/self/fd");
        if (!Files.isDirectory(all)) {
            return files;
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(all)) {
            for (Path descriptor : descriptors) {
                try {
                    Path file = Files.readSymbolicLink(descriptor);
                    if (file.startsWith(directory())) {
                        files.add(file.toString());
                    }
                } catch (NoSuchFileException e) {
                    // another thread has closed it
                }
            }
        }
        return files;
    }

    @Test
    void filesOfEarlierStatesAreClosedUnlessASnapshotNeedsThem() throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        try (FlexDB db = FlexDB.open(directory(), SMALL);
                FlexDBReader reader = FlexDB.openReadOnly(directory(), SMALL)) {
            fill(db, 0, 3000);
            reader.refresh();
            Snapshot snapshot = reader.snapshot();
            long before = open(descriptors);
            for (int i = 0; i < 30; i++) {
                fill(db, 0, 3000); // uses logs again, so that the reader has to read everything
                assertEquals(3000L * (i + 2), reader.refresh());
            }
            assertTrue(open(descriptors) <= before + 15, open(descriptors) + " after " + before);
            snapshot.close();
            reader.refresh();
            assertTrue(open(descriptors) <= before + 10, open(descriptors) + " after " + before);
        }
    }

    private static long open(Path descriptors) throws IOException {
        if (!Files.isDirectory(descriptors)) {
            return 0;
        }
        try (Stream<Path> open = Files.list(descriptors)) {
            return open.count();
        }
    }
}
