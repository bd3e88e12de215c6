package io.flexdb.samples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import io.flexdb.FlexDBReader;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stores that the first build of each step of the format has left are read, checked, written to and opened again. */
class SampleStoresTest {
    @TempDir
    Path temporary;

    private static void assertContent(FlexDB db) {
        SampleStores.pairs()
                .forEach((key, value) ->
                        assertArrayEquals(SampleStores.bytes(value), db.get(SampleStores.bytes(key)), key));
        for (int i = 200; i < 300; i++) {
            assertNull(db.get(SampleStores.bytes("key" + i)));
        }
        assertNull(db.get(SampleStores.bytes("gone")));
        assertThrows(StorageException.class, () -> db.get(SampleStores.bytes("fail")));
        for (int i = 0; i < 600; i++) {
            assertArrayEquals(
                    SampleStores.bytes("other" + i), db.keyspace("other").get(SampleStores.bytes("key" + i)));
        }
        assertEquals(0, db.check().findings().size(), db.check()::toString);
    }

    private static void assertUsable(Path directory) throws IOException {
        try (FlexDBReader reader = FlexDB.openReadOnly(directory, SampleStores.OPTIONS)) {
            SampleStores.pairs()
                    .forEach((key, value) ->
                            assertArrayEquals(SampleStores.bytes(value), reader.get(SampleStores.bytes(key)), key));
        }
        try (FlexDB db = FlexDB.open(directory, SampleStores.OPTIONS)) {
            assertContent(db);
            db.put(SampleStores.bytes("new"), SampleStores.bytes("pair"));
            db.merge(SampleStores.bytes("merged"), SampleStores.bytes(""));
        }
        try (FlexDB db = FlexDB.open(directory, SampleStores.OPTIONS)) {
            assertContent(db);
            assertNotNull(db.get(SampleStores.bytes("new")));
        }
        String options = Files.readString(directory.resolve("flexdb.options"));
        assertTrue(options.contains("\nformat = " + FormatVersion.LADDER.written() + "\n"), options);
    }

    @ParameterizedTest
    @EnumSource(FormatVersion.class)
    void storesOfEachStepAreUsable(FormatVersion step) throws IOException {
        SampleStores.unpack(step.number(), temporary);
        assertUsable(temporary.resolve("closed"));
        assertUsable(temporary.resolve("killed"));
        try (FlexDBBackups backups = FlexDBBackups.open(temporary.resolve("backups"))) {
            assertEquals(0, backups.verify(1).size());
            backups.restore(1, temporary.resolve("restored"));
        }
        assertUsable(temporary.resolve("restored"));
    }
}
