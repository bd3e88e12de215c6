package io.flexdb.jmh.flexdb;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The stores compared, FlexDB first. A new rival is a {@link KeyValueStore} and a constant here: programs, suites and
 * reports take what they need to know of it from the constant.
 */
public enum Subject {
    /** This store. */
    FLEXDB(
            "FlexDB",
            "",
            FlexDBStore::new,
            Map.of(Use.LARGE_VALUES, "", Use.FILES, "", Use.BULK, ", bulk load", Use.READERS, "")),
    /** A log-structured merge tree. */
    ROCKSDB(
            "RocksDB",
            "rocksdbjni",
            RocksDBStore::new,
            Map.of(
                    Use.LARGE_VALUES,
                    ", BlobDB",
                    Use.FILES,
                    "",
                    Use.BULK,
                    ", SstFileWriter and ingestion",
                    Use.READERS,
                    ", secondary")),
    /** A B+-tree in a mapped file. */
    LMDB("LMDB", "lmdbjava", LmdbStore::new, Map.of(Use.LARGE_VALUES, "", Use.FILES, "", Use.BULK, ", MDB_APPEND")),
    /** H2's. */
    MVSTORE("MVStore", "h2-mvstore", MVStoreStore::new, Map.of()),
    /** JetBrains'. */
    XODUS("Xodus", "xodus-environment", XodusStore::new, Map.of()),
    /** A B+-tree in a mapped file, in Java. */
    MAPDB("MapDB", "mapdb", MapDbStore::new, Map.of()),
    /** The JDK's, in memory. */
    SKIPLIST("skip list", "", settings -> new SkipListStore(), Map.of());

    private final String label;
    private final String library;
    private final Function<StoreSettings, KeyValueStore> opener;
    private final Map<Use, String> uses;

    /**
     * @param library the name of its jar file, but for the version; empty if it has none
     * @param uses what it can be opened for beside pairs, with what is added to its name then
     */
    Subject(String label, String library, Function<StoreSettings, KeyValueStore> opener, Map<Use, String> uses) {
        this.label = label;
        this.library = library;
        this.opener = opener;
        this.uses = uses;
    }

    /** Those that can be opened for something. */
    public static List<Subject> allFor(Use use) {
        return Stream.of(values()).filter(each -> each.isFor(use)).toList();
    }

    /** The one that arguments call so, if there is one. */
    public static Optional<Subject> named(String argument) {
        return Stream.of(values())
                .filter(each -> each.argument().equals(argument))
                .findFirst();
    }

    /** The JVM arguments of a process that may open any of them. */
    public static List<String> allJvmArguments() {
        return Stream.of(values())
                .flatMap(each -> each.jvmArguments().stream())
                .distinct()
                .toList();
    }

    /** The name in arguments. */
    public String argument() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The name in tables. */
    public String label() {
        return label;
    }

    /** The name in tables of what it is opened for. */
    public String label(Use use) {
        return label + uses.getOrDefault(use, "");
    }

    /** The name of its jar file, but for the version; empty if it has none. */
    public String library() {
        return library;
    }

    /** Whether it can be opened for something. */
    public boolean isFor(Use use) {
        return use == Use.PAIRS || use == Use.FEATURES || uses.containsKey(use);
    }

    /** Opens it, or makes it if there is none. */
    public KeyValueStore open(StoreSettings settings) {
        return opener.apply(settings);
    }

    /** What its process needs. */
    public List<String> jvmArguments() {
        return this == LMDB
                ? List.of("--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")
                : List.of();
    }

    /** Whether the pairs are there again when the store is opened again. */
    public boolean keepsPairs() {
        return this != SKIPLIST;
    }

    /** Whether it can be opened again after its process was killed, with all pairs or with fewer. */
    boolean opensAfterKill() {
        return keepsPairs() && this != MAPDB;
    }

    /** Whether a put that has returned is there again after the process was killed, not only after a close. */
    boolean survivesKill() {
        return opensAfterKill() && this != MVSTORE;
    }
}
