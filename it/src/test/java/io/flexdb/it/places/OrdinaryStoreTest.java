package io.flexdb.it.places;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.testing.Effort;
import io.flexdb.testing.FilesInUse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store with default options, as a new user has it; what it does should not depend on where it runs. */
class OrdinaryStoreTest {
    private static final int VALUE_BYTES = 1000;

    @TempDir
    private Path temporary;

    private static byte[] key(long number) {
        return String.format(Locale.ROOT, "user%010d", number).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] value(long number) {
        byte[] value = new byte[VALUE_BYTES];
        new Random(number).nextBytes(value);
        return value;
    }

    private static void assertPrivate(Path directory) throws IOException {
        List<String> open = new ArrayList<>();
        for (Path path : FilesInUse.below(directory)) {
            String expected = Files.isDirectory(path) ? "rwx------" : "rw-------";
            String permissions;
            try {
                permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
            } catch (NoSuchFileException e) {
                continue; // renamed meanwhile: the file of a log gets its name when the log is begun
            }
            if (!permissions.equals(expected)) {
                open.add(path + " " + permissions);
            }
        }
        assertEquals(List.of(), open);
    }

    @Test
    void whatIsWrittenIsReadAndNoFileIsOpenToOthers() throws IOException {
        int records = Effort.times(60_000);
        Path directory = temporary.resolve("a store");
        try (FlexDB db = FlexDB.open(directory)) {
            for (int i = 0; i < records; i++) {
                db.put(key(i * 7919L % records), value(i));
                if (i % 4 == 0) {
                    assertNotNull(db.get(key(i / 2 * 7919L % records)));
                }
            }
            assertPrivate(directory);
        }
        assertPrivate(directory);
        try (FlexDB db = FlexDB.open(directory)) {
            for (int i = 0; i < records; i += 10) {
                assertArrayEquals(value(i), db.get(key(i * 7919L % records)));
            }
            int count = 0;
            try (FlexCursor cursor = db.cursor()) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    assertArrayEquals(key(count++), cursor.key());
                }
            }
            assertEquals(records, count);
        }
    }
}
