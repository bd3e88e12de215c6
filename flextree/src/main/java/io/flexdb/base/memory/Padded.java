package io.flexdb.base.memory;

/**
 * Keeps what a thread writes all the time out of the cache lines of other threads: subclasses are such objects, of
 * which each thread has its own.
 */
public abstract class Padded {
    /*
     * The problem: the garbage collector moves objects as it likes. Two small ones that two threads write to may come to
     * lie side by side, and then each write takes the line away from the other thread (false sharing): lookups by two
     * threads fell from 2,300,000 to 1,400,000 a second, for some seconds or for good.
     *
     * The choice: two cache lines in front of an object's own fields, as processors fetch lines by twos. A JVM lays the
     * fields of a superclass out first. Small fields of subclasses may fill a gap in front of the first long, so there
     * is one that does.
     */
    @SuppressWarnings("unused")
    private int gap;

    @SuppressWarnings("unused")
    private long p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16;

    protected Padded() {}
}
