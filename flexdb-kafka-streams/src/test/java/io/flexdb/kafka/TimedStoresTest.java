package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.query.MultiVersionedKeyQuery;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.VersionedKeyQuery;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.VersionedRecordIterator;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Window, session and versioned stores beside sorted maps, and what expires. */
class TimedStoresTest {
    private static final TopicPartition CHANGELOG = new TopicPartition("test-store-changelog", 0);
    private static final Duration RETENTION = Duration.ofMinutes(10);
    private static final long SEGMENT = RETENTION.toMillis() / 2;
    private static final long SIZE = 1000;
    private static final byte[][] KEYS = {{}, {0}, {0, 0}, {0, -1}, {1}, {1, 0}, {1, 0, 5}, {1, 1}, {-1}, {-1, -1}};

    @TempDir
    Path directory;

    // ---- windows

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWindowStoreReadsAsASortedMapDoes(boolean transactional) {
        Random random = new Random(7);
        WindowStore<Bytes, byte[]> store = windows(context(transactional), false);
        TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < 600; i++) {
            byte[] key = KEYS[random.nextInt(KEYS.length)];
            long start = random.nextInt(30) * SEGMENT / 20;
            byte[] value = random.nextInt(5) == 0 ? null : new byte[] {(byte) i};
            store.put(Bytes.wrap(key), value, start);
            if (value == null) {
                model.remove(modelKey(key, start));
            } else {
                model.put(modelKey(key, start), value);
            }
            if (i % 50 == 7) {
                store.commit(Map.of(CHANGELOG, (long) i));
            }
            if (i % 20 == 0) {
                compareWindows(store, model, random);
            }
        }
        store.close();
    }

    private static void compareWindows(WindowStore<Bytes, byte[]> store, TreeMap<byte[], byte[]> model, Random random) {
        byte[] key = KEYS[random.nextInt(KEYS.length)];
        byte[] other = KEYS[random.nextInt(KEYS.length)];
        byte[] from = Arrays.compareUnsigned(key, other) <= 0 ? key : other;
        byte[] to = from == key ? other : key;
        long first = random.nextInt(30) * SEGMENT / 20;
        long last = first + random.nextInt((int) SEGMENT);
        List<String> expected = windowsOf(model, k -> Arrays.equals(k, key), first, last);
        assertEquals(expected, times(key, store.fetch(Bytes.wrap(key), first, last)));
        assertEquals(reversed(expected), times(key, store.backwardFetch(Bytes.wrap(key), first, last)));
        List<String> range = windowsOf(
                model, k -> Arrays.compareUnsigned(k, from) >= 0 && Arrays.compareUnsigned(k, to) <= 0, first, last);
        assertEquals(range, windowed(store.fetch(Bytes.wrap(from), Bytes.wrap(to), first, last)));
        assertEquals(reversed(range), windowed(store.backwardFetch(Bytes.wrap(from), Bytes.wrap(to), first, last)));
        assertEquals(windowsOf(model, k -> true, first, last), windowed(store.fetchAll(first, last)));
        assertEquals(reversed(windowsOf(model, k -> true, first, last)), windowed(store.backwardFetchAll(first, last)));
        assertEquals(windowsOf(model, k -> true, 0, Long.MAX_VALUE), windowed(store.all()));
        assertEquals(reversed(windowsOf(model, k -> true, 0, Long.MAX_VALUE)), windowed(store.backwardAll()));
        assertArrayEquals(model.get(modelKey(key, first)), store.fetch(Bytes.wrap(key), first));
        assertEquals(
                windowsOf(model, k -> true, first, last),
                windowed(store.fetchAll(Instant.ofEpochMilli(first), Instant.ofEpochMilli(last))));
    }

    /** In the order of segments, keys, times. */
    private static List<String> windowsOf(
            TreeMap<byte[], byte[]> model, Predicate<byte[]> keys, long first, long last) {
        TreeMap<byte[], String> found = new TreeMap<>(Arrays::compareUnsigned);
        model.forEach((encoded, value) -> {
            byte[] key = TimedKeys.key(encoded, 1);
            long start = TimedKeys.numberFromEnd(encoded, 1);
            if (keys.test(key) && start >= first && start <= last) {
                byte[] place = ByteBuffer.allocate(8 + encoded.length)
                        .putLong(start / SEGMENT)
                        .put(encoded)
                        .array();
                found.put(place, text(key, start, start + SIZE, value));
            }
        });
        return new ArrayList<>(found.values());
    }

    @Test
    void aWindowStoreKeepsDuplicates() {
        WindowStore<Bytes, byte[]> store = windows(context(false), true);
        Bytes key = Bytes.wrap(new byte[] {5});
        store.put(key, new byte[] {1}, 10);
        store.put(key, new byte[] {2}, 10);
        store.put(key, null, 10);
        store.put(key, new byte[] {3}, 20);
        List<Integer> values = new ArrayList<>();
        try (WindowStoreIterator<byte[]> iterator = store.fetch(key, 10, 20)) {
            while (iterator.hasNext()) {
                values.add((int) iterator.next().value[0]);
            }
        }
        assertEquals(List.of(1, 2, 3), values);
        store.close();
    }

    @Test
    void windowsOlderThanTheRetentionAreDroppedWithTheirKeyspace() {
        TestContext context = context(false);
        WindowStore<Bytes, byte[]> store = windows(context, false);
        Bytes key = Bytes.wrap(new byte[] {1});
        store.put(key, new byte[] {1}, 0);
        store.put(key, new byte[] {2}, SEGMENT);
        store.put(key, new byte[] {3}, 3 * SEGMENT + 5);
        assertNull(store.fetch(key, 0));
        assertNull(store.fetch(key, SEGMENT)); // expired, though its segment is not
        store.put(key, new byte[] {4}, 1); // too late
        store.commit(Map.of(CHANGELOG, 1L));
        assertEquals(1, windowed(store.all()).size());
        store.close();
        try (FlexDB db = FlexDB.open(directory.resolve("flexdb"))) {
            assertEquals(List.of("data/store/1", "data/store/3", "meta"), db.keyspaces());
        }
        WindowStore<Bytes, byte[]> reopened = windows(context, false);
        assertNull(reopened.fetch(key, SEGMENT)); // the time was kept
        assertArrayEquals(new byte[] {3}, reopened.fetch(key, 3 * SEGMENT + 5));
        reopened.close();
    }

    @Test
    void aWindowStoreIsRestored() {
        TestContext context = context(true);
        WindowStore<Bytes, byte[]> store = windows(context, false);
        byte[] key = {0, 1};
        context.restore(List.of(
                Changelog.window(1, key, 0, 0, new byte[] {1}),
                Changelog.window(2, key, SEGMENT, 0, new byte[] {2}),
                Changelog.window(3, key, 0, 0, null),
                Changelog.window(4, key, 7, 0, new byte[] {3})));
        assertEquals(List.of("[0, 1]@7..1007=[3]", "[0, 1]@300000..301000=[2]"), windowed(store.all()));
        store.close();
        WindowStore<Bytes, byte[]> reopened = windows(context, false);
        assertEquals(4, reopened.committedOffset(CHANGELOG));
        reopened.close();
    }

    // ---- sessions

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSessionStoreReadsAsASortedMapDoes(boolean transactional) {
        Random random = new Random(8);
        SessionStore<Bytes, byte[]> store = sessions(context(transactional));
        TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < 600; i++) {
            byte[] key = KEYS[random.nextInt(KEYS.length)];
            long start = random.nextInt(30) * SEGMENT / 20;
            long end = Math.min(start + random.nextInt(3) * SEGMENT / 20, 30 * SEGMENT / 20);
            byte[] encoded = TimedKeys.encode(key, end, start);
            Windowed<Bytes> window = new Windowed<>(Bytes.wrap(key), new SessionWindow(start, end));
            if (random.nextInt(5) == 0) {
                store.remove(window);
                model.remove(encoded);
            } else {
                store.put(window, new byte[] {(byte) i});
                model.put(encoded, new byte[] {(byte) i});
            }
            if (i % 50 == 7) {
                store.commit(Map.of(CHANGELOG, (long) i));
            }
            if (i % 20 == 0) {
                compareSessions(store, model, random);
            }
        }
        store.close();
    }

    private static void compareSessions(
            SessionStore<Bytes, byte[]> store, TreeMap<byte[], byte[]> model, Random random) {
        byte[] key = KEYS[random.nextInt(KEYS.length)];
        byte[] other = KEYS[random.nextInt(KEYS.length)];
        byte[] from = Arrays.compareUnsigned(key, other) <= 0 ? key : other;
        byte[] to = from == key ? other : key;
        long earliestEnd = random.nextInt(30) * SEGMENT / 20;
        long latestStart = earliestEnd + random.nextInt(5) * SEGMENT / 20;
        Bytes wrapped = Bytes.wrap(key);
        List<String> one = sessionsOf(model, k -> Arrays.equals(k, key), earliestEnd, Long.MAX_VALUE, latestStart);
        assertEquals(one, windowed(store.findSessions(wrapped, earliestEnd, latestStart)));
        assertEquals(reversed(one), windowed(store.backwardFindSessions(wrapped, earliestEnd, latestStart)));
        Predicate<byte[]> between = k -> Arrays.compareUnsigned(k, from) >= 0 && Arrays.compareUnsigned(k, to) <= 0;
        List<String> range = sessionsOf(model, between, earliestEnd, Long.MAX_VALUE, latestStart);
        assertEquals(range, windowed(store.findSessions(Bytes.wrap(from), Bytes.wrap(to), earliestEnd, latestStart)));
        assertEquals(
                reversed(range),
                windowed(store.backwardFindSessions(Bytes.wrap(from), Bytes.wrap(to), earliestEnd, latestStart)));
        assertEquals(
                sessionsOf(model, k -> true, earliestEnd, latestStart, Long.MAX_VALUE),
                windowed(store.findSessions(earliestEnd, latestStart)));
        List<String> all = sessionsOf(model, k -> Arrays.equals(k, key), 0, Long.MAX_VALUE, Long.MAX_VALUE);
        assertEquals(all, windowed(store.fetch(wrapped)));
        assertEquals(reversed(all), windowed(store.backwardFetch(wrapped)));
        assertArrayEquals(
                model.get(TimedKeys.encode(key, latestStart, earliestEnd)),
                store.fetchSession(wrapped, earliestEnd, latestStart));
    }

    /** In the order of segments, keys, ends. */
    private static List<String> sessionsOf(
            TreeMap<byte[], byte[]> model, Predicate<byte[]> keys, long earliestEnd, long latestEnd, long latestStart) {
        TreeMap<byte[], String> found = new TreeMap<>(Arrays::compareUnsigned);
        model.forEach((encoded, value) -> {
            byte[] key = TimedKeys.key(encoded, 2);
            long end = TimedKeys.numberFromEnd(encoded, 2);
            long start = TimedKeys.numberFromEnd(encoded, 1);
            if (keys.test(key) && end >= earliestEnd && end <= latestEnd && start <= latestStart) {
                byte[] place = ByteBuffer.allocate(8 + encoded.length)
                        .putLong(end / SEGMENT)
                        .put(encoded)
                        .array();
                found.put(place, text(key, start, end, value));
            }
        });
        return new ArrayList<>(found.values());
    }

    @Test
    void aSessionStoreIsRestored() {
        TestContext context = context(true);
        SessionStore<Bytes, byte[]> store = sessions(context);
        byte[] key = {0, 1};
        context.restore(List.of(
                Changelog.session(1, key, 0, 5, new byte[] {1}), Changelog.session(2, key, 3, 9, new byte[] {2})));
        assertEquals(List.of("[0, 1]@0..5=[1]", "[0, 1]@3..9=[2]"), windowed(store.fetch(Bytes.wrap(key))));
        store.close();
    }

    // ---- versions

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aVersionedStoreReadsAsASortedMapDoes(boolean transactional) {
        Random random = new Random(9);
        VersionedKeyValueStore<Bytes, byte[]> store = versions(context(transactional));
        checkVersions(store, random, (i, time) -> {}, transactional);
        store.close();
    }

    private static void checkVersions(
            VersionedKeyValueStore<Bytes, byte[]> store,
            Random random,
            BiConsumer<Integer, Long> after,
            boolean transactional) {
        Map<Bytes, TreeMap<Long, byte[]>> model = new TreeMap<>();
        for (int i = 0; i < 800; i++) {
            Bytes key = Bytes.wrap(KEYS[random.nextInt(4)]);
            long time = random.nextInt(60) * 10_000L;
            byte[] value = random.nextInt(4) == 0 ? null : new byte[] {(byte) i};
            TreeMap<Long, byte[]> versions = model.computeIfAbsent(key, k -> new TreeMap<>());
            versions.put(time, value == null ? new byte[0] : value);
            Long next = versions.higherKey(time);
            assertEquals(next == null ? -1 : next, store.put(key, value, time), "put " + i);
            if (i % 40 == 5) {
                store.commit(Map.of(CHANGELOG, (long) i));
                assertEquals(
                        asText(store.get(key)),
                        asText(((FlexDBVersionedStore) store)
                                .readOnly(IsolationLevel.READ_COMMITTED)
                                .get(key)));
            }
            long asOf = random.nextInt(700) * 1000L;
            assertEquals(versionAt(versions, asOf), asText(store.get(key, asOf)), "get " + i);
            assertEquals(versionAt(versions, Long.MAX_VALUE), asText(store.get(key)));
            after.accept(i, time);
        }
        assertEquals(true, transactional || store.isOpen());
    }

    private static String versionAt(TreeMap<Long, byte[]> versions, long time) {
        Map.Entry<Long, byte[]> version = versions.floorEntry(time);
        if (version == null || version.getValue().length == 0) {
            return "none";
        }
        Long next = versions.higherKey(version.getKey());
        return version.getKey() + ".." + (next == null ? "" : next) + "=" + Arrays.toString(version.getValue());
    }

    private static String asText(VersionedRecord<byte[]> version) {
        if (version == null) {
            return "none";
        }
        String to = version.validTo().map(String::valueOf).orElse("");
        return version.timestamp() + ".." + to + "=" + Arrays.toString(version.value());
    }

    @Test
    void versionsOlderThanTheRetentionAreGoneButTheNewestValueStays() {
        TestContext context = context(false);
        VersionedKeyValueStore<Bytes, byte[]> store = versions(context);
        Bytes key = Bytes.wrap(new byte[] {1});
        Bytes other = Bytes.wrap(new byte[] {2});
        long later = 10 * RETENTION.toMillis();
        store.put(key, new byte[] {1}, 10);
        store.put(key, new byte[] {2}, 20);
        store.put(other, new byte[] {3}, 30);
        store.put(other, null, 40);
        store.put(Bytes.wrap(new byte[] {3}), new byte[] {4}, later);
        store.commit(Map.of(CHANGELOG, 5L));
        assertEquals("none", asText(store.get(key, 15)));
        assertEquals("20..=[2]", asText(store.get(key)));
        assertEquals("20..=[2]", asText(store.get(key, 25)));
        assertEquals("none", asText(store.get(other)));
        assertEquals(VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT, store.put(key, new byte[] {5}, 25));
        assertEquals("20..=[2]", asText(store.delete(key, later + 1)));
        assertEquals("none", asText(store.get(key)));
        store.commit(Map.of(CHANGELOG, 6L));
        store.close();
        try (FlexDB db = FlexDB.open(directory.resolve("flexdb"))) {
            assertEquals(3, db.keyspaces().size(), () -> db.keyspaces().toString());
        }
    }

    /** The offset of the changelog is as it was then, but the position in the input is not. */
    @Test
    void aCommitOfNothingButExpiredWritesIsAtTheirPosition() {
        TestContext context = context(true);
        VersionedKeyValueStore<Bytes, byte[]> store = versions(context);
        Bytes key = Bytes.wrap(new byte[] {1});
        context.processes(7);
        store.put(key, new byte[] {1}, 1_000_000_000);
        store.commit(Map.of(CHANGELOG, 1L));
        context.processes(8);
        assertEquals(VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT, store.put(key, new byte[] {2}, 10));
        QueryConfig committed = new QueryConfig(false, IsolationLevel.READ_COMMITTED);
        PositionBound bound = PositionBound.at(Position.emptyPosition().withComponent("input", 0, 8));
        VersionedKeyQuery<Bytes, byte[]> query = VersionedKeyQuery.withKey(key);
        assertTrue(store.query(query, bound, committed).isFailure());
        store.commit(Map.of(CHANGELOG, 1L));
        assertEquals(
                "1000000000..=[1]", asText(store.query(query, bound, committed).getResult()));
        store.close();
    }

    @Test
    void queriesFindVersions() {
        TestContext context = context(false);
        VersionedKeyValueStore<Bytes, byte[]> store = versions(context);
        Bytes key = Bytes.wrap(new byte[] {1});
        store.put(key, new byte[] {1}, 10);
        store.put(key, null, 20);
        store.put(key, new byte[] {3}, 30);
        store.put(key, new byte[] {4}, 40);
        VersionedRecord<byte[]> at = store.query(
                        VersionedKeyQuery.<Bytes, byte[]>withKey(key).asOf(Instant.ofEpochMilli(35)),
                        PositionBound.unbounded(),
                        new QueryConfig(false))
                .getResult();
        assertEquals("30..40=[3]", asText(at));
        MultiVersionedKeyQuery<Bytes, byte[]> query = MultiVersionedKeyQuery.<Bytes, byte[]>withKey(key)
                .fromTime(Instant.ofEpochMilli(15))
                .toTime(Instant.ofEpochMilli(39));
        assertEquals(List.of("30..40=[3]", "10..20=[1]"), ask(store, query));
        assertEquals(List.of("10..20=[1]", "30..40=[3]"), ask(store, query.withAscendingTimestamps()));
        store.close();
    }

    private static List<String> ask(
            VersionedKeyValueStore<Bytes, byte[]> store, MultiVersionedKeyQuery<Bytes, byte[]> query) {
        List<String> versions = new ArrayList<>();
        try (VersionedRecordIterator<byte[]> iterator = store.query(
                        query, PositionBound.unbounded(), new QueryConfig(false))
                .getResult()) {
            while (iterator.hasNext()) {
                versions.add(asText(iterator.next()));
            }
        }
        return versions;
    }

    @Test
    void aVersionedStoreIsRestored() {
        TestContext context = context(true);
        VersionedKeyValueStore<Bytes, byte[]> store = versions(context);
        byte[] key = {7};
        context.restore(List.of(
                Changelog.versioned(1, key, 10, new byte[] {1}),
                Changelog.versioned(2, key, 30, new byte[] {2}),
                Changelog.versioned(3, key, 20, null)));
        assertEquals("10..20=[1]", asText(store.get(Bytes.wrap(key), 15)));
        assertEquals("none", asText(store.get(Bytes.wrap(key), 25)));
        assertEquals("30..=[2]", asText(store.get(Bytes.wrap(key))));
        store.close();
    }

    // ---- formats

    @Test
    void windowsAndSessionsOfAnOlderFormatAreUpgraded() {
        TestContext context = context(false);
        Bytes key = Bytes.wrap(new byte[] {1});
        byte[] value = {7};
        WindowStore<Bytes, byte[]> plain = windows(context, false);
        plain.put(key, value, 5);
        plain.put(key, value, SEGMENT);
        plain.close();
        Duration size = Duration.ofMillis(SIZE);
        WindowStore<Bytes, byte[]> withHeaders = open(
                FlexDBStores.timestampedWindowStoreWithHeaders("store", RETENTION, size, false)
                        .get(),
                context);
        byte[] upgraded = {0, -1, -1, -1, -1, -1, -1, -1, -1, 7};
        assertArrayEquals(upgraded, withHeaders.fetch(key, 5));
        assertArrayEquals(upgraded, withHeaders.fetch(key, SEGMENT));
        withHeaders.close();

        Windowed<Bytes> session = new Windowed<>(key, new SessionWindow(1, 2));
        SessionStore<Bytes, byte[]> sessions =
                open(FlexDBStores.sessionStore("sessions", RETENTION).get(), context);
        sessions.put(session, value);
        sessions.close();
        SessionStore<Bytes, byte[]> upgradedSessions =
                open(FlexDBStores.sessionStoreWithHeaders("sessions", RETENTION).get(), context);
        assertArrayEquals(new byte[] {0, 7}, upgradedSessions.fetchSession(key, 1, 2));
        upgradedSessions.close();
    }

    // ---- arguments

    @Test
    void badArgumentsAreRefused() {
        Duration minute = Duration.ofMinutes(1);
        assertThrows(
                IllegalArgumentException.class,
                () -> FlexDBStores.windowStore("store", minute, minute.plusMillis(1), false));
        assertThrows(IllegalArgumentException.class, () -> FlexDBStores.sessionStore("store", minute.negated()));
        assertThrows(
                IllegalArgumentException.class,
                () -> FlexDBStores.versionedKeyValueStore("store", Duration.ofSeconds(Long.MAX_VALUE)));
        assertThrows(NullPointerException.class, () -> FlexDBStores.keyValueStore(null));
        assertThrows(NullPointerException.class, () -> FlexDBStores.windowStore(null, minute, minute, false));
    }

    // ----

    private TestContext context(boolean transactional) {
        return new TestContext(directory).with("enable.transactional.statestores", transactional);
    }

    private static WindowStore<Bytes, byte[]> windows(TestContext context, boolean retainsDuplicates) {
        return open(
                FlexDBStores.windowStore("store", RETENTION, Duration.ofMillis(SIZE), retainsDuplicates)
                        .get(),
                context);
    }

    private static SessionStore<Bytes, byte[]> sessions(TestContext context) {
        return open(FlexDBStores.sessionStore("store", RETENTION).get(), context);
    }

    private static VersionedKeyValueStore<Bytes, byte[]> versions(TestContext context) {
        return open(new FlexDBVersionedStore("store", RETENTION.toMillis()), context);
    }

    private static <S extends StateStore> S open(S store, TestContext context) {
        store.init(context, store);
        return store;
    }

    private static byte[] modelKey(byte[] key, long start) {
        return TimedKeys.encode(key, start);
    }

    private static String text(byte[] key, long start, long end, byte[] value) {
        return Arrays.toString(key) + "@" + start + ".." + end + "=" + Arrays.toString(value);
    }

    private static List<String> times(byte[] key, WindowStoreIterator<byte[]> iterator) {
        List<String> found = new ArrayList<>();
        try (iterator) {
            while (iterator.hasNext()) {
                KeyValue<Long, byte[]> pair = iterator.next();
                found.add(text(key, pair.key, pair.key + SIZE, pair.value));
            }
        }
        return found;
    }

    private static List<String> windowed(KeyValueIterator<Windowed<Bytes>, byte[]> iterator) {
        List<String> found = new ArrayList<>();
        try (iterator) {
            for (Iterator<KeyValue<Windowed<Bytes>, byte[]>> it = iterator; it.hasNext(); ) {
                KeyValue<Windowed<Bytes>, byte[]> pair = it.next();
                Windowed<Bytes> key = pair.key;
                found.add(
                        text(key.key().get(), key.window().start(), key.window().end(), pair.value));
            }
        }
        return found;
    }

    private static List<String> reversed(List<String> list) {
        List<String> reversed = new ArrayList<>(list);
        Collections.reverse(reversed);
        return reversed;
    }
}
