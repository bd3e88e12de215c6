package io.flexdb.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.flexdb.testing.Bytecode;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StoreMemoryExceptionTest {
    private static final OutOfMemoryError CAUSE = new OutOfMemoryError("Java heap space");

    @Test
    void messagesTellWhatNeededMemoryAndWhatToDo() {
        assertEquals(
                "no memory for a value, which needs 12 bytes: Java heap space; raise -Xmx or -XX:MaxDirectMemorySize, or"
                        + " read less at a time",
                new StoreMemoryException("a value", 12, CAUSE).getMessage());
        assertEquals(
                "no memory for compaction: Java heap space; nothing is lost. Raise -XX:MaxDirectMemorySize, or -Xmx if"
                        + " the heap is full",
                new StoreMemoryException("compaction", CAUSE).getMessage());
        Path path = Path.of("store");
        assertEquals(
                "no memory to open store, which needs more: Java heap space; nothing is lost. Raise"
                        + " -XX:MaxDirectMemorySize, or -Xmx if the heap is full",
                new StoreMemoryException(path, "more", CAUSE).getMessage());
    }

    /** It is made in full heaps, where a call site that is linked then fails for good. */
    @Test
    void nothingIsLinkedWhenItIsMade() {
        String code = Bytecode.of(StoreMemoryException.class.getName());
        assertFalse(code.contains("invokedynamic"), code);
    }
}
