package io.flexdb.files.internal;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which files are open, and where their entries are.
 *
 * <p>A file's entry may be moved or deleted while channels use it, which know it by its number alone. Whoever moves or
 * deletes a file holds the lock of its number from the moment when he asks whether it is open until he has said where
 * the entry is now; and so does who opens or closes one. Nobody holds two of them but those who take them in their order.
 * Reading and writing takes none.
 */
final class OpenFiles {
    private static final int LOCKS = 64;

    private final Map<Long, OpenFile> files = new ConcurrentHashMap<>();
    private final ReentrantLock[] locks = new ReentrantLock[LOCKS];

    OpenFiles() {
        Arrays.setAll(locks, i -> new ReentrantLock());
    }

    /** Locks that are held. */
    interface Held {
        void release();
    }

    private static int lockOf(long id) {
        return (int) id & LOCKS - 1;
    }

    /** Waits for the lock of a file. */
    Held lock(long id) {
        ReentrantLock lock = locks[lockOf(id)];
        lock.lock();
        return lock::unlock;
    }

    /** Waits for the locks of two files, which may be one. */
    Held lock(long id, long other) {
        ReentrantLock first = locks[Math.min(lockOf(id), lockOf(other))];
        ReentrantLock second = locks[Math.max(lockOf(id), lockOf(other))];
        first.lock();
        second.lock();
        return () -> {
            second.unlock();
            first.unlock();
        };
    }

    /** Waits for the locks of all files. */
    Held lockAll() {
        for (ReentrantLock lock : locks) {
            lock.lock();
        }
        return () -> {
            for (ReentrantLock lock : locks) {
                lock.unlock();
            }
        };
    }

    /** The file of a number if it is open, else null. */
    OpenFile get(long id) {
        return files.get(id);
    }

    /** All of them. */
    Collection<OpenFile> all() {
        return files.values();
    }

    /** Counts one more user; under the lock of the file. */
    OpenFile use(long id, EntryKey at) {
        OpenFile file = files.computeIfAbsent(id, absent -> new OpenFile(id, at));
        file.users++;
        return file;
    }

    /** Opens a file that no path leads to, so that nobody else can. */
    OpenFile openNew(long id, EntryKey at) {
        Held held = lock(id);
        try {
            return use(id, at);
        } finally {
            held.release();
        }
    }

    /** Counts one user less, and says whether that was the last one; under the lock of the file. */
    boolean release(OpenFile file) {
        file.users--;
        if (file.users == 0) {
            files.remove(file.id);
        }
        return file.users == 0;
    }

    /** Says where the entry of a file is now; under its lock. */
    void moved(long id, EntryKey to) {
        OpenFile file = files.get(id);
        if (file != null) {
            file.at = to;
        }
    }
}
