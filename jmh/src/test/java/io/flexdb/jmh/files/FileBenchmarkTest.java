package io.flexdb.jmh.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.jmh.flexdb.KeyValueStore;
import io.flexdb.jmh.flexdb.OrderedStore;
import io.flexdb.jmh.flexdb.OrderedStore.Changes;
import io.flexdb.jmh.flexdb.OrderedStore.Space;
import io.flexdb.jmh.flexdb.StoreSettings;
import io.flexdb.jmh.flexdb.Subject;
import io.flexdb.jmh.flexdb.Use;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FileBenchmarkTest {
    @TempDir
    Path directory;

    @Tag("long")
    @Test
    void aCheckedRunGivesEveryFigureOfEverySubject() throws IOException {
        String[] arguments = {
            "--quick",
            "--files=700",
            "--overwrites=300",
            "--dir=" + directory.resolve("files"),
            "--json=" + directory.resolve("all.json")
        };
        assertEquals(0, FileBenchmarkSettings.commandLine(arguments).execute(arguments));
        String figures = Files.readString(directory.resolve("all.json"));
        for (FileSubject subject : FileSubject.ALL) {
            for (String experiment : List.of(
                    "create files",
                    "find",
                    "ls",
                    "ls -l again",
                    "stat, random",
                    "read files, random",
                    "grep",
                    "write sequential",
                    "overwrite 4 to 100 bytes, random",
                    "read sequential",
                    "rename a directory",
                    "delete a tree, its entries")) {
                assertTrue(
                        figures.contains("{\"subject\": \"" + subject.label() + "\", \"experiment\": \"" + experiment),
                        subject + ", " + experiment + ": " + figures);
            }
        }
    }

    @Test
    void whatHasOtherBytesThanWereWrittenIsFound() {
        TreeShape shape = new TreeShape(300);
        byte[] content = shape.content(50);
        shape.check(50, content);
        content[content.length - 1]++;
        assertThrows(IllegalStateException.class, () -> shape.check(50, content));
        assertEquals(
                123, TreeShape.number(shape.file(123).substring(shape.file(123).lastIndexOf('/') + 1)));
    }

    @ParameterizedTest
    @EnumSource(names = {"FLEXDB", "ROCKSDB"}) // LMDB opens only in a process with flags of its own
    void storesMakeChangesInOrderAndScanRanges(Subject subject) {
        try (KeyValueStore opened = subject.open(StoreSettings.of(directory, 8 << 20, Use.FILES))) {
            OrderedStore store = opened.ordered();
            Changes changes = new Changes();
            for (byte i = 0; i < 10; i++) {
                changes.put(Space.ENTRIES, new byte[] {i}, new byte[] {i, i});
            }
            store.write(changes.deleteRange(Space.ENTRIES, new byte[] {2}, new byte[] {5})
                    .delete(Space.ENTRIES, new byte[] {7})
                    .put(Space.ENTRIES, new byte[] {3}, new byte[] {33}));
            List<Integer> keys = new ArrayList<>();
            store.scan(Space.ENTRIES, new byte[] {1}, new byte[] {9}, (key, value) -> keys.add((int) key[0]));
            assertEquals(List.of(1, 3, 5, 6, 8), keys);
            assertArrayEquals(new byte[] {33}, store.get(Space.ENTRIES, new byte[] {3}));
            store.scan(Space.BLOCKS, new byte[] {0}, new byte[] {9}, (key, value) -> keys.clear());
            assertEquals(5, keys.size());
        }
    }
}
