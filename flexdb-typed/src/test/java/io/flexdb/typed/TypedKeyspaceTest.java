package io.flexdb.typed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.Durability;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBReader;
import io.flexdb.MergeFunction;
import io.flexdb.Snapshot;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import io.flexdb.storage.NoSuchKeyspaceException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Typed keyspaces: reads, writes, ranges, and the guard of their codecs. */
class TypedKeyspaceTest {
    private static final Tuple2Codec<String, LocalDate> BY_CITY =
            KeyCodec.tuple(KeyCodec.strings(), KeyCodec.localDates());

    @TempDir
    private Path directory;

    private FlexDB db;

    @BeforeEach
    void open() {
        db = Stores.open(directory.resolve("data"));
    }

    @AfterEach
    void close() {
        db.close();
    }

    private void reopen() {
        db.close();
        open();
    }

    private TypedKeyspace<Integer, String> names() {
        return TypedKeyspace.open(db, "names", KeyCodec.ints(), Codec.strings());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void bulkLoadBringsAllPairsOrNone() {
        TypedKeyspace<Integer, String> names = names();
        names.put(7, "before");
        try (TypedBulkLoad<Integer, String> load = names.bulkLoad()) {
            load.add(-1, "given up");
        }
        assertEquals(List.of(7), keys(names, KeyRange.all()));
        try (TypedBulkLoad<Integer, String> load = names.bulkLoad()) {
            for (int i = -500; i < 500; i++) {
                load.add(i, "name " + i);
            }
            load.add(1000, "brief", Duration.ofDays(1));
            assertThrows(IllegalArgumentException.class, () -> load.add(1000, "again"));
            assertThrows(NullPointerException.class, () -> load.add(1001, null));
            assertEquals(1001, load.pairs());
            assertTrue(load.bytes() > 1000 && load.toString().contains("pairs=1001"), load::toString);
            assertEquals("before", names.get(7));
            load.commit();
        }
        assertEquals("name 7", names.get(7));
        assertEquals(1001, names.count(KeyRange.all()));
        assertTrue(names.expiresAt(1000).isPresent());
    }

    private static <K> List<K> keys(TypedView<K, ?> view, KeyRange<K> range) {
        List<K> keys = new ArrayList<>();
        view.forEach(range, (key, value) -> keys.add(key));
        try (var stream = view.stream(range)) {
            assertEquals(keys, stream.map(Map.Entry::getKey).toList());
        }
        assertEquals(keys.size(), view.count(range));
        return keys;
    }

    @Test
    void setsAndGetsValues() {
        TypedKeyspace<Integer, String> names = names();
        names.put(-1, "Ann");
        names.put(5, "", WriteOptions.durability(Durability.SYNC));
        assertEquals("Ann", names.get(-1));
        assertEquals("", names.get(5));
        assertNull(names.get(6));
        assertTrue(names.containsKey(5));
        assertFalse(names.containsKey(6));
        assertEquals(Arrays.asList("", null, "Ann"), names.multiGet(List.of(5, 6, -1)));
        names.delete(5);
        assertFalse(names.containsKey(5));
        assertNull(names.putIfAbsent(7, "Bob"));
        assertEquals("Bob", names.putIfAbsent(7, "Cy"));
        assertEquals("Bob", names.getAndSet(7, "Cy"));
        assertFalse(names.compareAndSet(7, "Bob", "Di"));
        assertTrue(names.compareAndSet(7, "Cy", "Di"));
        assertTrue(names.compareAndSet(8, null, "Eve"));
        assertTrue(names.compareAndSet(8, "Eve", null));
        assertEquals("Di", names.getAndDelete(7));
        assertNull(names.getAndDelete(7));
        assertEquals(List.of(-1), keys(names, KeyRange.all()));
        assertEquals("TypedKeyspace[\"names\", int key, string]", names.toString());
        assertEquals("names", names.name());
        assertEquals(KeyCodec.ints(), names.keyCodec());
        assertEquals(Codec.strings(), names.valueCodec());
    }

    @Test
    void valuesExpire() {
        TypedKeyspace<Integer, String> names = names();
        names.put(1, "Ann", WriteOptions.timeToLive(Duration.ofHours(1)));
        names.put(2, "Bob");
        assertTrue(names.expiresAt(1).isPresent());
        assertEquals(Optional.empty(), names.expiresAt(2));
    }

    @Test
    void optionsReachTheStore() {
        TypedKeyspace<Integer, String> names = names();
        WriteOptions mortal = WriteOptions.timeToLive(Duration.ofHours(1));
        assertNull(names.putIfAbsent(1, "a", mortal));
        assertTrue(names.expiresAt(1).isPresent());
        assertEquals("a", names.getAndSet(1, "b", WriteOptions.defaults()));
        assertTrue(names.expiresAt(1).isEmpty());
        assertTrue(names.compareAndSet(1, "b", "c", mortal));
        assertTrue(names.expiresAt(1).isPresent());
        WriteOptions durable = WriteOptions.durability(Durability.SYNC);
        assertEquals("c", names.getAndDelete(1, durable));
        assertEquals(db.stats().lastSequence(), db.durableSequence());
        names.put(2, "d");
        names.deleteRange(KeyRange.all(), durable);
        assertEquals(db.stats().lastSequence(), db.durableSequence());
        assertThrows(IllegalArgumentException.class, () -> names.deleteRange(KeyRange.all(), mortal));
        assertThrows(IllegalArgumentException.class, () -> names.delete(1, mortal));
        assertThrows(IllegalArgumentException.class, () -> names.getAndDelete(1, mortal));
        assertThrows(IllegalStateException.class, () -> names.merge(1, "x"));
    }

    @Test
    void refusesNull() {
        TypedKeyspace<Integer, String> names = names();
        assertThrows(NullPointerException.class, () -> names.get(null));
        assertThrows(NullPointerException.class, () -> names.put(null, "a"));
        assertThrows(NullPointerException.class, () -> names.put(1, null));
        TypedKeyspace<Integer, String> nullable =
                TypedKeyspace.open(db, "nullable", KeyCodec.ints(), Codec.nullable(Codec.strings()));
        assertThrows(NullPointerException.class, () -> nullable.put(1, null));
        assertThrows(NullPointerException.class, () -> KeyRange.only(null));
    }

    @Test
    void readsRanges() {
        TypedKeyspace<Integer, String> names = names();
        for (int key = -3; key <= 3; key++) {
            names.put(key, "n" + key);
        }
        KeyRange<Integer> all = KeyRange.all();
        assertEquals(List.of(-3, -2, -1, 0, 1, 2, 3), keys(names, all));
        assertEquals(List.of(-1, 0, 1), keys(names, all.withLowerBound(-1, true).withUpperBound(2, false)));
        assertEquals(List.of(0, 1, 2), keys(names, all.withLowerBound(-1, false).withUpperBound(2, true)));
        assertEquals(
                List.of(2, 1),
                keys(names, all.withUpperBound(2, true).withReverse(true).withLimit(2)));
        assertEquals(List.of(2), keys(names, KeyRange.only(2)));
        assertEquals(List.of(), keys(names, all.withLowerBound(2, false).withUpperBound(2, false)));
        assertEquals(List.of(), keys(names, all.withLowerBound(2, true).withUpperBound(2, false)));
        assertEquals(List.of(), keys(names, all.withLimit(0)));
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> names.cursor(all.withLowerBound(2, true).withUpperBound(1, true)));
        assertTrue(refused.getMessage().contains("KeyRange[from 2, to 1, forward]"), refused::getMessage);
        assertThrows(IllegalArgumentException.class, () -> all.withLimit(-1));
    }

    @Test
    void deletesRanges() {
        TypedKeyspace<Integer, String> names = names();
        KeyRange<Integer> all = KeyRange.all();
        for (int key = 0; key < 10; key++) {
            names.put(key, "n");
        }
        names.deleteRange(all.withLowerBound(7, false));
        names.deleteRange(all.withLowerBound(3, false).withUpperBound(3, false));
        assertThrows(IllegalArgumentException.class, () -> names.deleteRange(all.withLimit(3)));
        db.write(batch(new WriteBatch(), names, all.withUpperBound(1, true)));
        db.transactWithoutResult(transaction -> names.in(transaction).deleteRange(KeyRange.only(4)));
        assertEquals(List.of(2, 3, 5, 6, 7), keys(names, all));
        names.deleteRange(all);
        assertEquals(List.of(), keys(names, all));
        names.put(1, "n");
        names.deleteAll();
        assertEquals(0, names.count(all));
    }

    private static WriteBatch batch(WriteBatch batch, TypedKeyspace<Integer, String> names, KeyRange<Integer> deleted) {
        names.in(batch)
                .deleteRange(deleted)
                .deleteRange(deleted.withLowerBound(0, false).withUpperBound(0, false));
        return batch;
    }

    @Test
    void walksByCursor() {
        TypedKeyspace<Integer, String> names = names();
        names.put(1, "a");
        names.put(3, "b");
        names.put(5, "c", WriteOptions.timeToLive(Duration.ofHours(1)));
        try (TypedCursor<Integer, String> cursor = names.cursor()) {
            assertFalse(cursor.isValid());
            cursor.seek(2);
            assertEquals(3, cursor.key());
            assertEquals("b", cursor.value());
            cursor.next();
            assertTrue(cursor.expiresAt().isPresent());
            cursor.next();
            assertFalse(cursor.isValid());
            assertThrows(IllegalStateException.class, cursor::key);
            cursor.seekForPrev(4);
            cursor.prev();
            assertEquals(1, cursor.key());
            cursor.seekToLast();
            assertEquals("c", cursor.value());
            cursor.seekToFirst();
            assertEquals("a", cursor.value());
        }
    }

    @Test
    void prefixesOfTuplesAndStringsAreRanges() {
        TypedKeyspace<Tuple2<String, LocalDate>, Integer> sales =
                TypedKeyspace.open(db, "sales", BY_CITY, Codec.ints());
        LocalDate day = LocalDate.of(2026, 1, 1);
        for (String city : List.of("Rom", "Rome", "Rome\0", "Romea", "")) {
            sales.put(Tuple2.of(city, day), 1);
            sales.put(Tuple2.of(city, day.plusDays(1)), 2);
        }
        KeyRange<Tuple2<String, LocalDate>> rome = BY_CITY.startingWith("Rome");
        assertEquals(List.of(Tuple2.of("Rome", day), Tuple2.of("Rome", day.plusDays(1))), keys(sales, rome));
        assertEquals(
                List.of(Tuple2.of("Rome", day.plusDays(1))),
                keys(sales, rome.withReverse(true).withLimit(1)));
        assertEquals(
                List.of(Tuple2.of("Rome", day.plusDays(1))),
                keys(sales, rome.withLowerBound(Tuple2.of("Rome", day), false)));
        assertEquals(2, sales.count(BY_CITY.startingWith("")));

        TypedKeyspace<String, Integer> words = TypedKeyspace.open(db, "words", KeyCodec.strings(), Codec.ints());
        List.of("", "a", "ab", "ab\uffff", "ab\ud83d\ude00", "ac", "\0", "\0a").forEach(word -> words.put(word, 1));
        assertEquals(List.of("ab", "ab\uffff", "ab\ud83d\ude00"), keys(words, KeyRange.startingWith("ab")));
        assertEquals(List.of("\0", "\0a"), keys(words, KeyRange.startingWith("\0")));
        assertEquals(8, words.count(KeyRange.startingWith("")));
    }

    @Test
    void prefixesOfLongerTuples() {
        Tuple4Codec<Integer, String, Boolean, String> codec =
                KeyCodec.tuple(KeyCodec.ints(), KeyCodec.strings(), KeyCodec.booleans(), KeyCodec.strings());
        TypedKeyspace<Tuple4<Integer, String, Boolean, String>, Integer> four =
                TypedKeyspace.open(db, "four", codec, Codec.ints());
        Tuple3Codec<Integer, String, String> codecOf3 =
                KeyCodec.tuple(KeyCodec.ints(), KeyCodec.strings(), KeyCodec.strings());
        TypedKeyspace<Tuple3<Integer, String, String>, Integer> three =
                TypedKeyspace.open(db, "three", codecOf3, Codec.ints());
        for (int number : List.of(-1, 255, 256)) {
            for (String text : List.of("", "a", "a\0", "b")) {
                three.put(Tuple3.of(number, text, text), 1);
                four.put(Tuple4.of(number, text, true, text), 1);
                four.put(Tuple4.of(number, text, false, text), 1);
            }
        }
        assertEquals(4, three.count(codecOf3.startingWith(255)));
        assertEquals(1, three.count(codecOf3.startingWith(255, "a")));
        assertEquals(8, four.count(codec.startingWith(-1)));
        assertEquals(2, four.count(codec.startingWith(-1, "a")));
        assertEquals(List.of(Tuple4.of(-1, "a", true, "a")), keys(four, codec.startingWith(-1, "a", true)));
    }

    @Test
    void aPrefixOfAnotherCodecIsRefused() {
        TypedKeyspace<Tuple2<String, LocalDate>, Integer> descending =
                TypedKeyspace.open(db, "sales", KeyCodec.descending(BY_CITY), Codec.ints());
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> descending.count(BY_CITY.startingWith("Rome")));
        assertTrue(refused.getMessage().contains("descending(" + BY_CITY.name() + ")"), refused::getMessage);
    }

    @Test
    void batchesAndTransactionsSpanKeyspaces() {
        TypedKeyspace<Integer, String> names = names();
        TypedKeyspace<String, Integer> ids = TypedKeyspace.open(db, "ids", KeyCodec.strings(), Codec.ints());
        TypedKeyspace<Integer, Integer> byDefault = TypedKeyspace.open(db, "", KeyCodec.ints(), Codec.ints());
        WriteBatch batch = new WriteBatch();
        names.in(batch).put(1, "Ann").put(2, "Bob", Duration.ofHours(1)).delete(2);
        ids.in(batch).put("Ann", 1);
        byDefault.in(batch).put(7, 7);
        assertEquals(0, names.count(KeyRange.all()));
        db.write(batch);
        assertEquals("Ann", names.get(1));
        assertEquals(7, byDefault.get(7));
        String old = db.transact(transaction -> {
            TypedTransaction<Integer, String> own = names.in(transaction);
            String found = own.get(1);
            own.put(1, "Eve").put(3, "Cy", Duration.ofHours(1)).delete(4);
            ids.in(transaction).delete(found).put("Eve", 1);
            byDefault.in(transaction).deleteAll();
            assertEquals(List.of(1, 3), keys(own, KeyRange.all()));
            return found;
        });
        assertEquals("Ann", old);
        assertEquals(List.of("Eve"), keys(ids, KeyRange.all()));
        assertEquals(List.of(), keys(byDefault, KeyRange.all()));
        assertTrue(names.expiresAt(3).isPresent());
        assertEquals("TypedBatch[\"names\" in " + batch + "]", names.in(batch).toString());
    }

    @Test
    void mergesCounters() {
        db.close();
        db = FlexDB.open(directory.resolve("data"), FlexDBOptions.defaults().withMergeFunction(MergeFunction.ADD));
        TypedKeyspace<String, Long> counters = TypedKeyspace.open(db, "counters", KeyCodec.strings(), Codec.longs());
        counters.merge("a", 5L);
        WriteBatch batch = new WriteBatch();
        counters.in(batch).merge("a", -7L).put("b", 1L).deleteAll().merge("a", 3L);
        counters.merge("a", 1L);
        assertEquals(6, counters.get("a"));
        db.write(batch);
        db.transactWithoutResult(transaction -> counters.in(transaction).merge("a", 1L));
        assertEquals(4, counters.get("a"));
        assertNull(counters.get("b"));
    }

    @Test
    void snapshotsAndReadersShowTypes() {
        TypedKeyspace<Integer, String> names = names();
        TypedKeyspace<Integer, Integer> byDefault = TypedKeyspace.open(db, "", KeyCodec.ints(), Codec.ints());
        names.put(1, "Ann");
        byDefault.put(2, 3);
        try (Snapshot snapshot = db.snapshot();
                FlexDBReader reader = FlexDB.openReadOnly(directory.resolve("data"))) {
            TypedView<Integer, String> then = names.in(snapshot);
            TypedView<Integer, String> beside = TypedView.open(reader, "names", KeyCodec.ints(), Codec.strings());
            names.put(1, "Bob");
            assertEquals("Ann", then.get(1));
            assertEquals("Ann", beside.get(1));
            reader.refresh();
            assertEquals("Bob", beside.get(1));
            assertEquals(
                    3, TypedView.open(reader, "", KeyCodec.ints(), Codec.ints()).get(2));
            CodecMismatchException refused = assertThrows(
                    CodecMismatchException.class,
                    () -> TypedView.open(reader, "names", KeyCodec.longs(), Codec.strings()));
            assertEquals("names", refused.keyspace());
            assertThrows(
                    NoSuchKeyspaceException.class,
                    () -> TypedView.open(reader, "none", KeyCodec.longs(), Codec.strings()));
        }
    }

    @Test
    void aReaderOfAStoreWithoutRecordsDecodesWhatItCan() {
        db.createKeyspace("raw").put(bytes("abcd"), bytes("x"));
        try (FlexDBReader reader = FlexDB.openReadOnly(directory.resolve("data"))) {
            assertEquals(
                    "x",
                    TypedView.open(reader, "raw", KeyCodec.strings(), Codec.strings())
                            .get("abcd"));
        }
    }

    // ---- the guard

    @Test
    void otherCodecsAreRefusedAndNothingIsChanged() {
        names().put(1, "Ann");
        reopen();
        long before = db.stats().lastSequence();
        CodecMismatchException refused = assertThrows(
                CodecMismatchException.class,
                () -> TypedKeyspace.open(db, "names", KeyCodec.strings(), Codec.strings()));
        assertEquals(
                "keyspace \"names\" is stored with codecs int key and string, but was to be opened with codecs string"
                        + " key and string; nothing was changed. Open it with the stored codecs, or copy its pairs to"
                        + " a keyspace of another name.",
                refused.getMessage());
        assertThrows(
                CodecMismatchException.class,
                () -> TypedKeyspace.open(db, "names", KeyCodec.ints(), Codec.nullable(Codec.strings())));
        Index<byte[], Integer> index = Index.of("first", KeyCodec.ints(), value -> (int) value[0]);
        assertThrows(
                CodecMismatchException.class,
                () -> IndexedKeyspace.open(db, "names", KeyCodec.ints(), Codec.bytes(), List.of(index)));
        assertEquals(before, db.stats().lastSequence());
        assertEquals(List.of("flexdb-typed", "names"), db.keyspaces());
        assertEquals("Ann", names().get(1));
    }

    @Test
    void anEmptyKeyspaceTakesNewCodecs() {
        names().put(1, "Ann");
        names().deleteAll();
        TypedKeyspace<String, Integer> other = TypedKeyspace.open(db, "names", KeyCodec.strings(), Codec.ints());
        other.put("Ann", 1);
        assertThrows(CodecMismatchException.class, this::names);
        db.dropKeyspace("names");
        assertEquals(0, names().count(KeyRange.all()));
    }

    @Test
    void pairsWithoutARecordAreLookedAt() {
        db.createKeyspace("names").put(new byte[] {-128, 0, 0, 1}, bytes("Ann"));
        assertEquals("Ann", names().get(1));
        db.createKeyspace("other").put(bytes("abcd"), bytes("x"));
        db.keyspace("other").put(bytes("abcde"), bytes("x"));
        long before = db.stats().lastSequence();
        DecodeException refused = assertThrows(
                DecodeException.class, () -> TypedKeyspace.open(db, "other", KeyCodec.ints(), Codec.strings()));
        assertEquals(
                "keyspace \"other\", key 0x6162636465: codec int key can't decode the key: expected 4 bytes, found 5"
                        + " bytes; open the keyspace with the codecs that wrote the pair, or delete it by"
                        + " io.flexdb.Keyspace",
                refused.getMessage());
        assertEquals(before, db.stats().lastSequence());
    }

    @Test
    void aPairOfOtherBytesNamesKeyAndCodec() {
        TypedKeyspace<Integer, Long> numbers = TypedKeyspace.open(db, "numbers", KeyCodec.ints(), Codec.longs());
        numbers.put(1, 1L);
        byte[] key = KeyCodec.ints().encode(2);
        numbers.keyspace().put(key, new byte[3]);
        DecodeException found = assertThrows(DecodeException.class, () -> numbers.get(2));
        assertArrayEquals(key, found.key());
        assertEquals("numbers", found.keyspace());
        assertEquals("long", found.codec());
        assertTrue(
                found.getMessage()
                        .startsWith("keyspace \"numbers\", key 0x80000002: codec long can't decode the value 0x000000:"
                                + " expected 8 bytes, found 3 bytes"),
                found::getMessage);
        assertThrows(DecodeException.class, () -> numbers.forEach((number, value) -> {}));
        assertTrue(numbers.containsKey(2));
    }

    @Test
    void aReservedNameIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> TypedKeyspace.open(db, "flexdb-typed", KeyCodec.ints(), Codec.ints()));
    }

    private enum Before {
        A,
        B
    }

    private enum After {
        A,
        B,
        C
    }

    @Test
    void anEnumThatGrewOpensAndOneThatShrankDoesNot() {
        TypedKeyspace.open(db, "enums", KeyCodec.enums(Before.class), Codec.ints())
                .put(Before.B, 2);
        assertEquals(
                2,
                TypedKeyspace.open(db, "enums", KeyCodec.enums(After.class), Codec.ints())
                        .get(After.B));
        assertThrows(
                CodecMismatchException.class,
                () -> TypedKeyspace.open(db, "enums", KeyCodec.enums(Before.class), Codec.ints()));
    }

    @Test
    void aRecordOfALaterReleaseIsRefused() {
        names().put(1, "Ann");
        db.keyspace("flexdb-typed")
                .put(bytes("names"), Codec.list(Codec.strings()).encode(List.of("2", "what", "ever")));
        CodecMismatchException refused = assertThrows(CodecMismatchException.class, this::names);
        assertTrue(refused.getMessage().contains("format 2"), refused::getMessage);
        db.keyspace("flexdb-typed").put(bytes("names"), bytes("?"));
        assertThrows(DecodeException.class, this::names);
        for (List<String> parts : List.of(List.<String>of(), List.of("1", "int key"))) {
            db.keyspace("flexdb-typed")
                    .put(bytes("names"), Codec.list(Codec.strings()).encode(parts));
            assertThrows(DecodeException.class, this::names);
        }
    }

    @Test
    void aCodecThatGivesNoBytesIsNamed() {
        KeyCodec<String> empty = KeyCodec.of("empty", String::compareTo, key -> new byte[0], key -> "");
        TypedKeyspace<String, String> keyspace = TypedKeyspace.open(db, "empty", empty, Codec.strings());
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> keyspace.put("a", "b"));
        assertTrue(refused.getMessage().contains("codec empty"), refused::getMessage);
    }

    /** The first key behind one that is as long as keys may be is longer than that. */
    @ParameterizedTest
    @ValueSource(strings = {"", "long"})
    void theLongestKeysWorkInAllPlaces(String name) {
        db.close();
        db = FlexDB.open(directory.resolve("data")); // with memtables that they fit into
        TypedKeyspace<String, Integer> keyspace = TypedKeyspace.open(db, name, KeyCodec.strings(), Codec.ints());
        String longest = "k".repeat(name.isEmpty() ? 65_535 : 65_528);
        assertThrows(IllegalArgumentException.class, () -> keyspace.put(longest + "k", 1));
        ConcurrentNavigableMap<String, Integer> map = keyspace.asMap();
        for (String key : List.of("a", longest, "z")) {
            map.put(key, 1);
        }
        assertEquals(longest, map.floorKey(longest));
        assertEquals("z", map.higherKey(longest));
        assertEquals("a", map.lowerKey(longest));
        assertEquals(2, map.headMap(longest, true).size());
        assertEquals(
                List.of("z", longest),
                List.copyOf(map.tailMap(longest, true).descendingMap().keySet()));
        assertEquals(List.of("z"), List.copyOf(map.tailMap(longest, false).keySet()));
        map.tailMap(longest, false).clear();
        assertEquals(List.of("a", longest), List.copyOf(map.keySet()));
        map.put("z", 1);
        map.headMap(longest, true).clear();
        assertEquals(List.of("z"), List.copyOf(map.keySet()));
        keyspace.deleteRange(KeyRange.only(longest));
        WriteBatch batch = new WriteBatch();
        keyspace.in(batch).deleteRange(KeyRange.<String>all().withLowerBound(longest, false));
        db.write(batch);
        assertTrue(map.isEmpty());
    }

    @Test
    void behindTheLastOfAllKeysIsNothing() {
        db.close();
        db = FlexDB.open(directory.resolve("data"));
        TypedKeyspace<byte[], Integer> keyspace = TypedKeyspace.open(db, "bytes", KeyCodec.bytes(), Codec.ints());
        byte[] last = new byte[65_528];
        Arrays.fill(last, (byte) 0xFF);
        keyspace.put(last, 1);
        keyspace.deleteRange(KeyRange.<byte[]>all().withLowerBound(last, false));
        assertEquals(1, keyspace.get(last));
        keyspace.deleteRange(KeyRange.<byte[]>all().withUpperBound(last, true));
        assertNull(keyspace.get(last));
    }

    @Test
    void streamsAreRead() {
        TypedKeyspace<Integer, String> names = names();
        names.put(1, "Ann");
        try (Stream<Map.Entry<Integer, String>> pairs = names.stream()) {
            assertEquals(List.of(Map.entry(1, "Ann")), pairs.toList());
        }
        List<String> seen = new ArrayList<>();
        names.forEach((key, value) -> seen.add(key + value));
        assertEquals(List.of("1Ann"), seen);
    }
}
