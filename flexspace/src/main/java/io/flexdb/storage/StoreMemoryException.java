package io.flexdb.storage;

import java.nio.file.Path;

/**
 * There was not enough memory for one call, such as reading a very large value, or opening a store. Nothing is
 * lost: the store goes on, as it was before the call, or can be opened with more memory.
 */
public final class StoreMemoryException extends StorageException {
    /*
     * Messages are joined by a method: for the operator the JVM would make a class where it meets it first, for which a
     * full heap has no room, and that fails as a BootstrapMethodError, for good.
     */
    private static final long serialVersionUID = 1L;

    /**
     * @param what needed the memory
     * @param bytes how much it needed
     * @param cause what the JVM said
     */
    public StoreMemoryException(String what, long bytes, OutOfMemoryError cause) {
        super(
                String.join(
                        "",
                        "no memory for ",
                        what,
                        ", which needs ",
                        Long.toString(bytes),
                        " bytes: ",
                        cause.getMessage(),
                        "; raise -Xmx or -XX:MaxDirectMemorySize, or read less at a time"),
                cause);
    }

    /**
     * There was no memory for something, and nobody knows how many bytes it needs.
     *
     * @param what needed the memory
     * @param cause what the JVM said
     */
    public StoreMemoryException(String what, OutOfMemoryError cause) {
        super(
                String.join(
                        "",
                        "no memory for ",
                        what,
                        ": ",
                        cause.getMessage(),
                        "; nothing is lost. Raise -XX:MaxDirectMemorySize, or -Xmx if the heap is full"),
                cause);
    }

    /**
     * A store could not be opened.
     *
     * @param directory of the store
     * @param needed what it needs, with bytes
     * @param cause what the JVM said
     */
    public StoreMemoryException(Path directory, String needed, OutOfMemoryError cause) {
        super(
                String.join(
                        "",
                        "no memory to open ",
                        directory.toString(),
                        ", which needs ",
                        needed,
                        ": ",
                        cause.getMessage(),
                        "; nothing is lost. Raise -XX:MaxDirectMemorySize, or -Xmx if the heap is full"),
                cause);
    }
}
