package io.flexdb.flextree.internal.image;

/** The image of a node is not what its parent, or the format, says. */
public final class BadNodeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int slot;
    private final String expected;
    private final String found;

    /**
     * @param slot where the image is
     * @param expected what it should say
     * @param found what it says
     */
    public BadNodeException(int slot, String expected, String found) {
        super("node in slot " + slot + ": expected " + expected + ", found " + found);
        this.slot = slot;
        this.expected = expected;
        this.found = found;
    }

    /** The slot of the image. */
    public int slot() {
        return slot;
    }

    /** The value that the image should have. */
    public String expected() {
        return expected;
    }

    /** The value that it has. */
    public String found() {
        return found;
    }
}
