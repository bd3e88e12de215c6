package io.flexdb.internal.write;

/** Is told what is about to be brought in, while nobody else can write there; may throw, and then nothing is. */
public interface WrittenKeys {
    /**
     * The keys are held.
     *
     * @param through the number of the last write before that
     */
    void held(long through);

    /** All keys that were deleted from one on to before another. */
    void deletedRange(byte[] from, byte[] to);

    /** One that was put or deleted or merged; not to be changed. */
    void wrote(byte[] key);

    /** All were told. */
    void end();
}
