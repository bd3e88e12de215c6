package io.flexdb.jmh.rivals;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.BulkLoad;
import io.flexdb.FlexDB;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** docs/coming-from.md names types and members that exist, of others and ours, and its code moves the data. */
class ComingFromTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "coming-from.md");
    private static final Pattern NAME = Pattern.compile("`(\\w+)(?:\\.(\\w+))?`");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "RocksDB, org.rocksdb",
        "LMDB, org.lmdbjava",
        "MVStore, org.h2.mvstore org.h2.mvstore.type org.h2.mvstore.tx"
    })
    void allNamesExist(String section, String packages) throws IOException {
        Set<String> unknown = new TreeSet<>();
        int rows = 0;
        for (String line : section(section).lines().toList()) {
            String[] cells = line.split("\\|", -1);
            if (cells.length == 4 && cells[1].contains("`")) {
                rows++;
                requireNames(cells[1], List.of(packages.split(" ")), unknown);
                requireNames(cells[2], List.of("io.flexdb", "io.flexdb.typed"), unknown);
            }
        }
        assertEquals(Set.of(), unknown);
        assertTrue(rows >= 10, section + " has rows: " + rows);
    }

    private static String section(String title) throws IOException {
        String text = Files.readString(DOCUMENT);
        int begin = text.indexOf("\n## " + title + "\n");
        assertTrue(begin > 0, title);
        return text.substring(begin, text.indexOf("\n## ", begin + 1));
    }

    private static void requireNames(String cell, List<String> packages, Set<String> unknown) {
        for (MatchResult name : NAME.matcher(cell).results().toList()) {
            if (packages.stream().noneMatch(place -> exists(place + "." + name.group(1), name.group(2)))) {
                unknown.add(packages + ": " + name.group());
            }
        }
    }

    private static boolean exists(String className, String member) {
        Class<?> type;
        try {
            type = Class.forName(className, false, ComingFromTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return false;
        }
        return member == null
                || Arrays.stream(type.getMethods())
                        .anyMatch(method -> method.getName().equals(member))
                || Arrays.stream(type.getFields())
                        .anyMatch(field -> field.getName().equals(member))
                || Arrays.stream(type.getClasses())
                        .anyMatch(nested -> nested.getSimpleName().equals(member));
    }

    @Test
    void theVersionsAreThoseThatTheNamesWereLookedUpIn() throws IOException {
        String pom = Files.readString(Path.of("..", "pom.xml"));
        String page = Files.readString(DOCUMENT).replaceAll("\\s+", " ");
        for (String name : List.of("RocksDB-JNI rocksdbjni", "LmdbJava lmdbjava", "MVStore mvstore")) {
            String[] names = name.split(" ");
            Matcher version = Pattern.compile("<" + names[1] + ".version>(\\d+\\.\\d+)\\.")
                    .matcher(pom);
            assertTrue(version.find(), name);
            assertTrue(page.contains(names[0] + " " + version.group(1)), name + " " + version.group(1));
        }
    }

    @Test
    void dataOfRocksDBIsLoadedByTheCodeOfThePage() throws RocksDBException, IOException {
        byte[][] keys = {{0}, {1, 2}, {127}, {-128}, {-1, 5}};
        try (RocksDB old = RocksDB.open(directory.resolve("old").toString());
                FlexDB db = FlexDB.open(directory.resolve("new"))) {
            for (byte[] key : keys) {
                old.put(key, new byte[] {7, key[0]});
            }
            try (RocksIterator iterator = old.newIterator()) {
                try (BulkLoad load = db.bulkLoad()) {
                    for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                        load.add(iterator.key(), iterator.value());
                    }
                    load.commit();
                }
            }
            for (byte[] key : keys) {
                assertArrayEquals(new byte[] {7, key[0]}, db.get(key));
            }
        }
        String page = Files.readString(DOCUMENT);
        int begin = page.indexOf("```java\n") + "```java\n".length();
        String code = page.substring(begin, page.indexOf("```", begin)).indent(16);
        String own = Files.readString(Path.of("src/test/java/io/flexdb/jmh/rivals/ComingFromTest.java"));
        assertTrue(own.contains(code), code);
    }
}
