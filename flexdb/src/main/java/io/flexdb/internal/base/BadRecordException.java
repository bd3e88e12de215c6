package io.flexdb.internal.base;

/**
 * Bytes that should be KV pairs are none. A caller that knows the file turns this into a
 * {@link io.flexdb.storage.CorruptionException}.
 */
public final class BadRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long position;
    private final String expected;
    private final String found;

    /**
     * @param position the bad record's first byte, relative to the first byte that was read
     * @param expected what should be there
     * @param found what is there
     */
    public BadRecordException(long position, String expected, String found) {
        super("bad record at position " + position + ": expected " + expected + ", found " + found);
        this.position = position;
        this.expected = expected;
        this.found = found;
    }

    /** The bad record's first byte, relative to the first byte that was read. */
    public long position() {
        return position;
    }

    /** The bytes that should be there, in words. */
    public String expected() {
        return expected;
    }

    /** The bytes that are there, in words. */
    public String found() {
        return found;
    }
}
