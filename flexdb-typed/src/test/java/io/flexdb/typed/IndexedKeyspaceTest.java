package io.flexdb.typed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.Isolation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Index entries follow their records. */
class IndexedKeyspaceTest {
    private static final Comparator<String> ORDER = KeyCodec.strings().comparator();
    private static final List<String> WORDS = List.of("", "\0", "a", "a\0", "ab", "b", "c");

    /** A record: a city, or none, and tags. */
    private record User(String city, List<String> tags) {
        static User of(String city, String... tags) {
            return new User(city, List.of(tags));
        }
    }

    private static final Codec<User> USERS = Codec.list(Codec.nullable(Codec.strings()))
            .map("user", IndexedKeyspaceTest::parts, parts -> new User(parts.get(0), parts.subList(1, parts.size())));

    private static final Index<User, String> BY_CITY = Index.of("city", KeyCodec.strings(), User::city);
    private static final Index<User, String> BY_TAG = Index.ofMany("tag", KeyCodec.strings(), User::tags);
    private static final Index<User, Integer> BY_TAGS =
            Index.of("tags", KeyCodec.ints(), user -> user.tags().size());
    private static final List<Index<User, ?>> ALL = List.of(BY_CITY, BY_TAG, BY_TAGS);

    @TempDir
    private Path directory;

    private FlexDB db;

    private static List<String> parts(User user) {
        List<String> parts = new ArrayList<>();
        parts.add(user.city());
        parts.addAll(user.tags());
        return parts;
    }

    @BeforeEach
    void open() {
        db = Stores.open(directory.resolve("data"));
    }

    @AfterEach
    void close() {
        db.close();
    }

    private IndexedKeyspace<Long, User> users(List<Index<User, ?>> indexes) {
        return IndexedKeyspace.open(db, "users", KeyCodec.longs(), USERS, indexes);
    }

    @Test
    void findsRecords() {
        IndexedKeyspace<Long, User> users = users(ALL);
        assertNull(users.put(1L, User.of("Rome", "x", "y")));
        users.put(2L, User.of("Bonn", "y", "y"));
        users.put(3L, User.of("Rome"));
        users.put(4L, User.of(null, "z"));
        assertEquals(List.of(1L, 3L), keys(users.find(BY_CITY, "Rome")));
        assertEquals(List.of(1L, 2L), keys(users.find(BY_TAG, "y")));
        assertEquals(List.of(), keys(users.find(BY_CITY, "Rom")));
        assertEquals(User.of("Rome"), users.put(3L, User.of("Bonn")));
        assertEquals(List.of(2L, 3L), keys(users.find(BY_CITY, "Bonn")));
        assertEquals(User.of("Rome", "x", "y"), users.delete(1L));
        assertNull(users.delete(1L));
        assertEquals(List.of(), users.find(BY_CITY, "Rome"));
        assertEquals(User.of(null, "z"), users.get(4L));
        assertEquals(3, users.records().count(KeyRange.all()));
        assertThrows(NullPointerException.class, () -> users.put(5L, null));
    }

    private static <K> List<K> keys(List<? extends Map.Entry<K, ?>> pairs) {
        return pairs.stream().<K>map(Map.Entry::getKey).toList();
    }

    @Test
    void writesOfATransactionTakeEffectTogetherOrNotAtAll() {
        IndexedKeyspace<Long, User> users = users(ALL);
        assertThrows(
                ArithmeticException.class,
                () -> db.transactWithoutResult(transaction -> {
                    users.put(transaction, 1L, User.of("Rome"));
                    throw new ArithmeticException();
                }));
        assertEquals(List.of(), users.find(BY_CITY, "Rome"));
        db.transactWithoutResult(transaction -> {
            users.put(transaction, 1L, User.of("Rome"));
            users.put(transaction, 1L, User.of("Bonn"));
            users.put(transaction, 2L, User.of("Rome"));
            users.delete(transaction, 2L);
        });
        assertEquals(List.of(), users.find(BY_CITY, "Rome"));
        assertEquals(List.of(1L), keys(users.find(BY_CITY, "Bonn")));
    }

    /** Random writes and openings with other indexes, against a sorted map that is searched from end to end. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void findsWhatASearchOfAllRecordsFinds(long seed) {
        Random random = new Random(seed);
        TreeMap<Long, User> model = new TreeMap<>();
        List<Index<User, ?>> indexes = ALL;
        IndexedKeyspace<Long, User> users = users(indexes);
        for (int i = 0; i < 400; i++) {
            long key = random.nextInt(20) - 10;
            switch (random.nextInt(12)) {
                case 0 -> {
                    indexes = ALL.stream().filter(index -> random.nextBoolean()).toList();
                    users = users(indexes);
                }
                case 1, 2 -> assertEquals(model.remove(key), users.delete(key));
                default -> {
                    User user = user(random);
                    assertEquals(model.put(key, user), users.put(key, user));
                }
            }
            if (i % 10 == 0) {
                requireSame(model, users, indexes, random);
            }
        }
    }

    private static User user(Random random) {
        String city = random.nextInt(4) == 0 ? null : word(random);
        return new User(
                city,
                Stream.generate(() -> word(random)).limit(random.nextInt(4)).toList());
    }

    private static String word(Random random) {
        return WORDS.get(random.nextInt(WORDS.size()));
    }

    private static void requireSame(
            TreeMap<Long, User> model, IndexedKeyspace<Long, User> users, List<Index<User, ?>> indexes, Random random) {
        String low = word(random);
        String high = word(random);
        boolean inclusive = random.nextBoolean();
        boolean reverse = random.nextBoolean();
        KeyRange<String> range = KeyRange.<String>all()
                .withLowerBound(ORDER.compare(low, high) <= 0 ? low : high, inclusive)
                .withUpperBound(ORDER.compare(low, high) <= 0 ? high : low, !inclusive)
                .withReverse(reverse);
        for (Index<User, String> index : List.of(BY_CITY, BY_TAG)) {
            if (indexes.contains(index)) {
                assertEquals(search(model, index, range), found(users, index, range), range::toString);
                KeyRange<String> prefix = KeyRange.startingWith(low).withReverse(reverse);
                assertEquals(search(model, index, prefix), found(users, index, prefix), prefix::toString);
                List<Long> one = search(model, index, KeyRange.only(low));
                assertEquals(one, keys(users.find(index, low)));
            } else {
                assertThrows(IllegalArgumentException.class, () -> users.find(index, low));
            }
        }
        if (indexes.contains(BY_TAGS)) {
            KeyRange<Integer> some =
                    KeyRange.<Integer>all().withUpperBound(2, inclusive).withLimit(3);
            List<Long> expected = model.entrySet().stream()
                    .filter(entry -> entry.getValue().tags().size() < (inclusive ? 3 : 2))
                    .sorted(Comparator.comparing(
                            entry -> entry.getValue().tags().size()))
                    .map(Map.Entry::getKey)
                    .limit(3)
                    .toList();
            assertEquals(expected, found(users, BY_TAGS, some));
        }
    }

    private static <I> List<Long> found(IndexedKeyspace<Long, User> users, Index<User, I> index, KeyRange<I> range) {
        List<Long> keys = new ArrayList<>();
        users.forEach(index, range, (key, user) -> keys.add(key));
        return keys;
    }

    /** By the bytes of the range for the words alone, which other tests hold. */
    private static List<Long> search(TreeMap<Long, User> model, Index<User, String> index, KeyRange<String> range) {
        ByteRange bytes = range.in(new PairCodec<>("words", KeyCodec.strings(), Codec.strings()));
        TreeMap<String, List<Long>> found = new TreeMap<>(ORDER);
        model.forEach((key, user) -> new TreeSet<>(index.values(user))
                .stream()
                        .filter(word -> bytes.contains(KeyCodec.strings().encode(word)))
                        .forEach(word -> found.computeIfAbsent(word, any -> new ArrayList<>())
                                .add(key)));
        List<Long> keys = new ArrayList<>();
        found.values().forEach(keys::addAll);
        if (range.reverse()) {
            Collections.reverse(keys);
        }
        return keys;
    }

    /** All threads write one record at once, then the index is looked at, many times. */
    @Test
    void threadsThatWriteTheSameRecordKeepTheIndex() throws Exception {
        IndexedKeyspace<Long, User> users = users(ALL);
        int threads = 4;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CyclicBarrier together = new CyclicBarrier(threads, () -> requireIndexed(users));
        try {
            List<Future<?>> writers = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Random random = new Random(thread);
                writers.add(pool.submit(() -> {
                    for (int i = 0; i < 300; i++) {
                        together.await();
                        if (random.nextInt(4) == 0) {
                            users.delete(1L);
                        } else {
                            users.put(1L, user(random));
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        } finally {
            pool.shutdownNow();
        }
        requireIndexed(users);
    }

    private static void requireIndexed(IndexedKeyspace<Long, User> users) {
        TreeMap<Long, User> records = new TreeMap<>();
        users.records().forEach(records::put);
        assertEquals(search(records, BY_TAG, KeyRange.all()), found(users, BY_TAG, KeyRange.all()));
        assertEquals(search(records, BY_CITY, KeyRange.all()), found(users, BY_CITY, KeyRange.all()));
    }

    /** Threads that each want to be the only one with a city. */
    @Test
    void aSerializableTransactionKeepsAValueUnique() throws Exception {
        IndexedKeyspace<Long, User> users = users(ALL);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> writers = new ArrayList<>();
            for (long thread = 0; thread < 4; thread++) {
                long first = thread * 1000;
                writers.add(pool.submit(() -> {
                    int made = 0;
                    for (int i = 0; i < 50; i++) {
                        long key = first + i;
                        String city = "city " + i;
                        made += db.transact(Isolation.SERIALIZABLE, transaction -> {
                            if (!users.find(transaction, BY_CITY, city).isEmpty()) {
                                return 0;
                            }
                            users.put(transaction, key, User.of(city));
                            assertEquals(List.of(key), keys(users.find(transaction, BY_CITY, city)));
                            return 1;
                        });
                    }
                    return made;
                }));
            }
            int made = 0;
            for (Future<Integer> writer : writers) {
                made += writer.get();
            }
            assertEquals(50, made);
        } finally {
            pool.shutdownNow();
        }
        assertEquals(50, users.records().count(KeyRange.all()));
    }

    @Test
    void aKeyspaceWithIndexesIsNotOpenedWithoutThem() {
        users(List.of(BY_CITY)).put(1L, User.of("Rome"));
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> TypedKeyspace.open(db, "users", KeyCodec.longs(), USERS));
        assertTrue(refused.getMessage().contains("city: string key"), refused::getMessage);
        users(List.of());
        TypedKeyspace.open(db, "users", KeyCodec.longs(), USERS).put(2L, User.of("Rome"));
        assertEquals(List.of(1L, 2L), keys(users(List.of(BY_CITY)).find(BY_CITY, "Rome")));
        assertEquals(List.of("flexdb-typed", "users", "users index city"), db.keyspaces());
    }

    @Test
    void anIndexOfTheDefaultKeyspaceAndAnotherCodecIsBuilt() {
        TypedKeyspace.open(db, "", KeyCodec.longs(), USERS).put(1L, User.of("Rome", "a"));
        Index<User, Long> wide =
                Index.of("tags", KeyCodec.longs(), user -> (long) user.tags().size());
        assertEquals(
                List.of(1L),
                keys(IndexedKeyspace.open(db, "", KeyCodec.longs(), USERS, List.of(BY_TAGS))
                        .find(BY_TAGS, 1)));
        assertEquals(
                List.of(1L),
                keys(IndexedKeyspace.open(db, "", KeyCodec.longs(), USERS, List.of(wide))
                        .find(wide, 1L)));
    }

    @Test
    void entriesOfADroppedKeyspaceAreGoneWhenItIsMadeAnew() {
        users(ALL).put(1L, User.of("Rome", "x"));
        db.dropKeyspace("users");
        IndexedKeyspace<Long, User> users = users(ALL);
        assertEquals(List.of(), users.find(BY_CITY, "Rome"));
        users.put(2L, User.of("Rome"));
        long before = db.stats().lastSequence();
        assertEquals(List.of(2L), keys(users(ALL).find(BY_CITY, "Rome")));
        assertEquals(before, db.stats().lastSequence());
    }

    @Test
    void namesOfIndexesDifferAndHaveNoSeparator() {
        Index<User, String> other = Index.of("city", KeyCodec.strings(), user -> "x");
        assertThrows(IllegalArgumentException.class, () -> users(List.of(BY_CITY, other)));
        assertThrows(IllegalArgumentException.class, () -> Index.of("a: b", KeyCodec.strings(), User::city));
        assertEquals("city", BY_CITY.name());
        assertEquals(KeyCodec.strings(), BY_CITY.codec());
    }

    @Test
    void anEntryWithoutARecordIsAnError() {
        IndexedKeyspace<Long, User> users = users(List.of(BY_CITY));
        users.put(1L, User.of("Rome"));
        db.keyspace("users").deleteAll();
        IllegalStateException found = assertThrows(IllegalStateException.class, () -> users.find(BY_CITY, "Rome"));
        assertTrue(
                found.getMessage().contains("Index[city: string key] of keyspace \"users\" has key 1"),
                found::getMessage);
        db.keyspace("users index city").put(new byte[] {'R'}, new byte[0]);
        assertThrows(DecodeException.class, () -> found(users, BY_CITY, KeyRange.all()));
        assertEquals("IndexedKeyspace[\"users\", [Index[city: string key]]]", users.toString());
    }
}
