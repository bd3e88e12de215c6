package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.FilePermissions;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.SpaceEvents;
import io.flexdb.internal.base.StoreEvents;
import io.flexdb.storage.ConflictException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the flight recorder is told, with the names that docs/operations.md has. */
class FlexDBEventsTest {
    private static final Set<String> KINDS = new TreeSet<>(Set.of(
            "Open",
            "Recovery",
            "Commit",
            "Force",
            "WriteStall",
            "Checkpoint",
            "SpaceCollection",
            "Defragmentation",
            "SlowOperation",
            "TransactionConflict"));

    @TempDir
    private Path directory;

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%07d", number).getBytes(UTF_8);
    }

    /** A store whose writers do all the work, so that what happens does not depend on the pace of threads. */
    private static FlexDB open(Path store) {
        return open(store, StoreDriver.SMALL);
    }

    private static FlexDB open(Path store, FlexDBOptions options) {
        return FlexDB.open(new RealVfs(FilePermissions.OWNER), store, options, true);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCommitTakesAllFrozenMemtablesWhereItReadsFromADisk(boolean readsDisk) throws IOException {
        Path store = directory.resolve("store");
        List<RecordedEvent> events = record(() -> {
            try (FlexDB db = open(store, StoreDriver.readingDisk(readsDisk, StoreDriver.SMALL))) {
                for (int i = 0; i < 10_000; i++) {
                    db.put(key(i * 37 % 10_000), new byte[100]);
                }
            }
        });
        long[] bytes = of("Commit", events).stream()
                .mapToLong(commit -> commit.getLong("memtableBytes"))
                .sorted()
                .toArray();
        assertTrue(bytes.length > 5, bytes.length + " commits");
        long largest = bytes[bytes.length - 1];
        assertEquals(readsDisk ? 2 * bytes[0] : bytes[0], largest, Arrays.toString(bytes));
        assertEquals(largest, bytes[bytes.length / 2], Arrays.toString(bytes));
    }

    @Test
    void eachKindOfEventIsRecordedWithItsFields() throws IOException {
        Path store = directory.resolve("store");
        Path copy = directory.resolve("copy");
        List<RecordedEvent> events = record(() -> {
            try (FlexDB db = open(store)) {
                work(db);
                db.put(key(0), new byte[20]);
                db.sync();
                copy(store, copy); // as a kill would leave it
                conflict(db);
            }
            open(copy).close();
        });

        Set<String> seen = new TreeSet<>();
        events.forEach(event -> seen.add(event.getEventType().getName().substring("io.flexdb.".length())));
        assertEquals(KINDS, seen);

        List<RecordedEvent> opened = of("Open", events);
        assertEquals(2, opened.size());
        assertEquals(store.toString(), opened.get(0).getString("directory"));
        assertEquals(0, opened.get(0).getLong("spaceBytes"));
        assertTrue(opened.get(1).getLong("spaceBytes") > 0, opened.get(1)::toString);
        assertTrue(opened.get(1).getLong("intervals") > 1, opened.get(1)::toString);

        List<RecordedEvent> recovered = of("Recovery", events);
        assertEquals(1, recovered.size());
        assertEquals(copy.toString(), recovered.get(0).getString("directory"));
        assertTrue(recovered.get(0).getLong("writesReplayed") >= 1, recovered.get(0)::toString);
        assertTrue(recovered.get(0).getLong("bytesReplayed") > 20, recovered.get(0)::toString);
        assertTrue(recovered.get(0).getDuration().compareTo(opened.get(1).getDuration()) <= 0);

        for (RecordedEvent commit : of("Commit", events)) {
            assertTrue(commit.getLong("keys") > 0, commit::toString);
            assertTrue(commit.getLong("memtableBytes") > 0, commit::toString);
        }
        assertTrue(
                of("Force", events).stream()
                        .anyMatch(force -> force.getString("file").startsWith(store.resolve("wal") + "/")),
                () -> of("Force", events).toString());
        assertTrue(of("Force", events).stream()
                .anyMatch(force -> force.getString("file")
                        .equals(store.resolve("space/data").toString())));
        assertTrue(of("Checkpoint", events).stream().allMatch(event -> event.getLong("bytesWritten") > 0));
        assertTrue(of("WriteStall", events).stream().allMatch(event -> event.getLong("writeBytes") > 0));
        assertTrue(of("SpaceCollection", events).stream().anyMatch(event -> event.getLong("segmentsEmptied") > 0));
        assertTrue(of("Defragmentation", events).stream().anyMatch(event -> event.getLong("intervals") > 0));
        assertTrue(of("Defragmentation", events).stream().anyMatch(event -> event.getLong("bytesWritten") > 0));
        Set<String> slow = new TreeSet<>();
        of("SlowOperation", events).forEach(event -> slow.add(event.getString("operation")));
        assertEquals(Set.of("get", "write", "seek"), slow);
        assertEquals(1, of("TransactionConflict", events).size());
        assertFalse(of("TransactionConflict", events).get(0).getString("reason").isBlank());
    }

    @Test
    void eventsThatThePageOnMonitoringShowsHaveTheFieldsOfTheirClasses() throws IOException {
        Map<String, EventType> types = Stream.of(StoreEvents.class, SpaceEvents.class)
                .flatMap(events -> Stream.of(events.getDeclaredClasses()))
                .filter(Event.class::isAssignableFrom)
                .map(type -> EventType.getEventType(type.asSubclass(Event.class)))
                .collect(Collectors.toMap(EventType::getName, type -> type));
        String page = Files.readString(Path.of("..", "docs", "monitoring.md"));
        Set<String> shown = new TreeSet<>();
        for (MatchResult event : results("(?ms)^(io\\.flexdb\\.\\w+) \\{\n(.*?)^}", page)) {
            String name = event.group(1);
            shown.add(name);
            assertTrue(types.containsKey(name), name);
            Set<String> fields = new TreeSet<>();
            types.get(name).getFields().forEach(field -> fields.add(field.getName()));
            fields.remove("stackTrace"); // which is left out
            Set<String> onThePage = new TreeSet<>();
            results("(?m)^  (\\w+) = ", event.group(2)).forEach(field -> onThePage.add(field.group(1)));
            assertEquals(fields, onThePage, name);
        }
        assertEquals(Set.of("io.flexdb.Commit", "io.flexdb.Force", "io.flexdb.WriteStall"), shown);
    }

    @Test
    void theRecorderKnowsTheSettingsThatThePagesGiveIt() throws Exception {
        String pages = Files.readString(Path.of("..", "docs", "monitoring.md"))
                + Files.readString(Path.of("..", "docs", "operations.md"));
        List<MatchResult> settings = results("JFR\\.start .*?(\\+?io\\.flexdb\\.\\w+#\\w+=\\w+)", pages);
        assertEquals(2, settings.size());
        for (MatchResult setting : settings) {
            String answer = command("jfrStart", "name=pages", setting.group(1));
            command("jfrStop", "name=pages");
            assertFalse(answer.contains("Warning"), answer);
        }
    }

    /** What {@code jcmd} does, in this JVM. */
    private static String command(String name, String... arguments) throws JMException {
        return (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        name,
                        new Object[] {arguments},
                        new String[] {String[].class.getName()});
    }

    private static List<MatchResult> results(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().toList();
    }

    /** Commits, collects garbage, makes checkpoints and stalls, leaves intervals in pieces, and makes them whole. */
    private static void work(FlexDB db) {
        Random random = new Random(7);
        for (int i = 0; i < 8000; i++) {
            db.put(key(i < 4000 ? (int) (i * 7919L % 4000) : random.nextInt(4000)), new byte[40 + random.nextInt(40)]);
        }
        db.get(key(1));
        try (FlexCursor cursor = db.cursor()) {
            cursor.seek(key(2));
        }
        db.flush();
        db.defragment();
    }

    private static void conflict(FlexDB db) {
        try (Transaction transaction = db.begin()) {
            transaction.put(key(1), new byte[1]);
            db.delete(key(1));
            assertThrows(ConflictException.class, transaction::commit);
        }
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
            Files.write(to.resolve("LOCK"), new byte[0]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<RecordedEvent> record(Runnable work) throws IOException {
        Path file = directory.resolve("events.jfr");
        try (Recording recording = new Recording()) {
            KINDS.forEach(kind -> recording.enable("io.flexdb." + kind).withoutThreshold());
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.flexdb."))
                .toList();
    }

    private static List<RecordedEvent> of(String kind, List<RecordedEvent> events) {
        List<RecordedEvent> found = events.stream()
                .filter(event -> event.getEventType().getName().equals("io.flexdb." + kind))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime)) // files have them by thread
                .toList();
        assertFalse(found.isEmpty(), kind);
        return found;
    }
}
