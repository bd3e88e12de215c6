package io.flexdb.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each failure says what happened, where, and what to do. */
class StorageExceptionTest {
    private static final Path FILE = Path.of("/store/data");
    private static final IOException CAUSE = new IOException("Input/output error");

    private static void assertSays(StorageException thrown, String... parts) {
        for (String part : parts) {
            assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
        }
    }

    @Test
    void damageNamesThePlaceAndBothContents() {
        CorruptionException thrown = new CorruptionException(FILE, 4096, "checksum 1", "checksum 2");
        assertSays(thrown, "/store/data", "4096", "checksum 1", "checksum 2", "backup");
        assertEquals(FILE, thrown.file());
        assertEquals(4096, thrown.position());
        assertEquals("checksum 1", thrown.expected());
        assertEquals("checksum 2", thrown.found());
    }

    @Test
    void anotherFormatVersionNamesBothSides() {
        UnsupportedFormatException newer = new UnsupportedFormatException(FILE, "tree", 7, 2, 3, "use a newer FlexDB");
        assertSays(newer, "tree", "/store/data", "version 7", "2 to 3", "use a newer FlexDB");
        assertEquals(FILE, newer.file());
        assertEquals(7, newer.found());
        assertEquals(2, newer.oldestSupported());
        assertEquals(3, newer.newestSupported());
    }

    @Test
    void whatIsNoStoreIsNamed() {
        NotAStoreException thrown = new NotAStoreException(FILE, "a file");
        assertSays(thrown, "/store/data", "found a file", "empty");
        assertEquals(FILE, thrown.path());
    }

    @Test
    void aLockNamesItsHolder() {
        StoreLockedException thrown = new StoreLockedException(FILE, "process 4711");
        assertSays(thrown, "/store/data", "process 4711", "close");
        assertEquals("process 4711", thrown.holder());
        assertEquals(FILE, thrown.lockFile());
    }

    @Test
    void aFailedOperationIsNamedWithItsCause() {
        StoreIoException thrown = new StoreIoException("read", FILE, CAUSE);
        assertSays(thrown, "read of /store/data", "Input/output error");
        assertEquals("read", thrown.operation());
        assertEquals(FILE, thrown.file());
        assertSame(CAUSE, thrown.getCause());
        StoreFullException full = new StoreFullException("write", FILE, new IOException("No space left on device"));
        assertSays(full, "write of /store/data", "No space left on device", "free");
        assertSays(new StoreFullException("the limit of 5 bytes is reached"), "the limit of 5 bytes is reached");
        StoreFailedException failed = new StoreFailedException(thrown);
        assertSays(failed, "Input/output error", "close", "open");
        assertSame(thrown, failed.getCause());
    }

    @Test
    void theOthersSayWhatToDo() {
        assertSays(new StoreClosedException("the cursor"), "the cursor is closed", "open");
        assertSays(new ConflictException("key 1 was changed; run it again"), "key 1 was changed");
    }

    @Test
    void theyCanBeSentElsewhere() throws Exception {
        for (StorageException thrown : List.of(
                new CorruptionException(FILE, 4096, "a", "b"),
                new StoreLockedException(FILE, "process 1"),
                new StoreIoException("read", FILE, CAUSE))) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(thrown);
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                assertEquals(thrown.toString(), in.readObject().toString());
            }
        }
    }
}
