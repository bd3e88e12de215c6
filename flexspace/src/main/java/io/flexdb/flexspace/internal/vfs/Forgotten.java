package io.flexdb.flexspace.internal.vfs;

import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** A descriptor of an object that may be forgotten, as a reader that nobody closes is. */
final class Forgotten extends PhantomReference<Object> {
    /*
     * The JDK closes the descriptors of its file channels when these are collected, but not those of directory streams,
     * and knows nothing of ours. The next opening closes those that were collected meanwhile. So no thread waits for
     * that, and where nothing is opened any more they do no harm. The table is static, since the objects are gone by
     * then.
     */
    private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();
    private static final Set<Forgotten> WATCHED = ConcurrentHashMap.newKeySet();
    private static final AtomicBoolean WARNED = new AtomicBoolean();
    private static final System.Logger LOG = System.getLogger("io.flexdb");

    private final Closeable opened;

    private Forgotten(Object owner, Closeable opened) {
        super(owner, COLLECTED);
        this.opened = opened;
    }

    /**
     * Closes something when its owner was collected, until {@link #release}.
     *
     * @param opened must not refer to the owner
     */
    static Forgotten watch(Object owner, Closeable opened) {
        closeCollected();
        Forgotten watched = new Forgotten(owner, opened);
        WATCHED.add(watched);
        return watched;
    }

    /** To be called when the owner closes it. */
    void release() {
        WATCHED.remove(this);
        clear();
    }

    /** Closes what was opened for objects that are gone. */
    static void closeCollected() {
        for (Forgotten next; (next = (Forgotten) COLLECTED.poll()) != null; ) {
            if (WATCHED.remove(next)) {
                close(next.opened);
            }
        }
    }

    private static void close(Closeable opened) {
        try {
            opened.close();
        } catch (IOException e) {
            // it was only read
        }
        if (WARNED.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "A store or a reader was not closed and has been collected. Its descriptors are closed now;"
                            + " close it, best by try-with-resources. This is told once");
        }
    }
}
