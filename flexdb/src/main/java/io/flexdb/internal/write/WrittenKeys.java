package io.flexdb.internal.write;

/** Is told of writes before they are brought in, while nobody else can write there; if it throws, none is. */
public interface WrittenKeys {
    /**
     * The keys are held.
     *
     * @param through the number of the last write before that
     */
    void held(long through);

    /** Tells a deleted range: the keys from one on to before another. */
    void deletedRange(byte[] from, byte[] to);

    /** Tells a key that was put or deleted or merged; not to be changed. */
    void wrote(byte[] key);

    /** All were told. */
    void end();
}
