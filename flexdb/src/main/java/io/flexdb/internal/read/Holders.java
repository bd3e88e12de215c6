package io.flexdb.internal.read;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.TableReaders;
import io.flexdb.storage.SnapshotTooOldException;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/** All that keeps versions of a store, open or made to be opened again. Thread-safe. */
public final class Holders {
    /*
     * The problem: the store has to know all that are open, how old they are and what they keep; but a cursor is opened
     * and closed in some hundred nanoseconds, by any number of threads. The choice: a cursor's pin is made once and
     * opened many times, and it is entered here when it is made. To open it writes fields of its own, and takes no lock
     * that others want. To list the open ones, all are looked at.
     *
     * The entry is the Holder, which leads to its pin weakly. When the user has lost an open one, the garbage collector
     * tells, and the pin is taken back.
     */
    /** Of that age a holder is told of in the log. */
    static final Duration LONG = Duration.ofMinutes(10);

    /** Of that age if it keeps much. */
    static final Duration NOT_SHORT = Duration.ofSeconds(10);

    private static final String WAYS_OUT = "; FlexDBOptions.withHolderTraces tells where it was opened";
    private static final int FEWEST = 16;

    private static final Comparator<Open> BY_SEQUENCE = Comparator.comparingLong(open -> open.sequence);

    /** A holder that was open when this was made. */
    public static final class Open {
        final Holder holder;
        final long opening;
        private final HolderKind kind;
        private final Version version;
        private final long sequence;
        private final long time;
        private final String thread;
        private final Throwable openedAt;

        private Open(Holder holder, long opening) {
            this.holder = holder;
            this.opening = opening;
            this.kind = holder.kind;
            this.version = holder.version;
            this.sequence = holder.sequence;
            this.time = holder.time;
            this.thread = holder.threadName();
            this.openedAt = holder.openedAt;
        }

        /** Its kind. */
        public HolderKind kind() {
            return kind;
        }

        /** The version that it keeps. */
        public Version version() {
            return version;
        }

        /** The number of the last write that it shows. */
        public long sequence() {
            return sequence;
        }

        /** For how long it has kept this, at a time of the store's clock. */
        public Duration age(long now) {
            return Duration.ofMillis(time == Holder.NO_TIME ? 0 : Math.max(0, now - time));
        }

        /** The name of the thread that has opened it. */
        public String thread() {
            return thread;
        }

        /** The stack where it was opened, or null. */
        public Throwable openedAt() {
            return openedAt;
        }

        /** Whether the store may end it. */
        public boolean mayExpire() {
            return kind.mayExpire();
        }

        private String text(long now, long bytes) {
            return kind.what() + " at sequence number " + sequence + ", opened by thread \"" + thread + "\" "
                    + age(now).toSeconds() + " s ago, keeps " + bytes + " bytes of old versions";
        }
    }

    private final StoreVersions versions;
    private final boolean traced;
    private final Consumer<List<String>> tell;
    private final ReferenceQueue<PinnedVersion> lost = new ReferenceQueue<>();
    private Holder[] entered = new Holder[FEWEST]; // under the lock, as the next two
    private int count;
    private boolean ended; // with the store
    private final AtomicLong again = new AtomicLong(); // openings on what another one holds

    /** @param tell gets what is to stand in the log; it must not wait for what that does */
    Holders(StoreVersions versions, boolean traced, Consumer<List<String>> tell) {
        this.versions = versions;
        this.traced = traced;
        this.tell = tell;
    }

    StoreVersions versions() {
        return versions;
    }

    /** How many there is room for. */
    synchronized int room() {
        return entered.length;
    }

    /** Whether anything is open that keeps a version; what rests to be opened again keeps none. */
    public synchronized boolean areAny() {
        for (int i = 0; i < count; i++) {
            if (entered[i].openingInUse() != Holder.NONE) {
                return true;
            }
        }
        return false;
    }

    boolean areTraced() {
        return traced;
    }

    synchronized Holder add(PinnedVersion pin, HolderKind kind) {
        if (ended) {
            throw versions.health.refusal();
        }
        if (count == entered.length) {
            removeCollected();
            if (count > entered.length / 2) {
                entered = Arrays.copyOf(entered, 2 * entered.length);
            }
        }
        Holder holder = new Holder(pin, kind, versions, lost);
        holder.place = count;
        entered[count++] = holder;
        return holder;
    }

    /** Forgets those of cursors that were closed, and then dropped with all that they rested in. */
    private void removeCollected() {
        for (int i = count - 1; i >= 0; i--) {
            if (entered[i].isClosed() && entered[i].get() == null) {
                remove(entered[i]);
            }
        }
    }

    /** Forgets one that is not opened again. Allocates nothing. */
    synchronized void remove(Holder holder) {
        if (holder.openingInUse() != Holder.NONE) {
            return; // others may be taking over what it holds: it goes with those that are collected
        }
        int place = holder.place;
        if (place < count && entered[place] == holder) {
            Holder last = entered[--count];
            entered[count] = null;
            if (last != holder) {
                entered[place] = last;
                last.place = place;
            }
        }
    }

    /** Has all of them keep nothing of the store, which is closed. */
    public synchronized void end() {
        for (int i = 0; i < count; i++) {
            PinnedVersion pin = entered[i].get();
            if (pin != null) {
                pin.storeEnded(entered[i]);
            }
        }
        entered = new Holder[FEWEST];
        count = 0;
        ended = true;
    }

    /** All that are open now, those that show the oldest first. */
    public synchronized List<Open> open() {
        List<Open> open = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Holder holder = entered[i];
            long opening = holder.opening();
            if (opening != Holder.NONE) {
                Open found = new Open(holder, opening);
                if (holder.isStill(opening) && found.version != null) {
                    open.add(found);
                }
            }
        }
        open.sort(BY_SEQUENCE);
        return open;
    }

    // ---- memtables whose entries are moved

    /** Counts one that has been opened on the version of another one, which is still open. */
    void countAgain() {
        again.incrementAndGet();
    }

    /**
     * The numbers up to which a memtable is read, ascending. Where nobody opens a version that lists it but by the pin of
     * another one, there are no others later.
     */
    public long[] sequences(MemLog log) {
        /*
         * While they are looked at one by one, one that was not open when it was its turn may be opened by the pin of one
         * that is closed when it is its turn.
         */
        long[] found;
        long before;
        do {
            before = again.get();
            found = sequencesOnce(log);
        } while (again.get() != before);
        return found;
    }

    private synchronized long[] sequencesOnce(MemLog log) {
        long[] found = new long[count];
        int size = 0;
        for (int i = 0; i < count; i++) {
            Holder holder = entered[i];
            for (long opening = holder.openingInUse(); opening != Holder.NONE; ) {
                Version version = holder.version;
                long sequence = holder.sequence;
                VarHandle.loadLoadFence();
                long still = holder.openingInUse();
                if (still == opening) {
                    if (version != null && log.isIn(version.id())) {
                        found[size++] = sequence;
                    }
                    break;
                }
                opening = still;
            }
        }
        return Arrays.stream(found, 0, size).sorted().distinct().toArray();
    }

    /** The cursors and lookups of now that may read a memtable. */
    public synchronized TableReaders readers(MemLog log) {
        Readers readers = new Readers();
        for (int i = 0; i < count; i++) {
            Holder holder = entered[i];
            long opening = holder.openingInUse();
            if (opening != Holder.NONE && holder.kind.readsMemtables()) {
                Version version = holder.version; // of a later opening it is another one, which counts for nothing then
                if (version == null || log.isIn(version.id())) {
                    readers.holders.add(holder);
                    readers.openings.add(opening);
                }
            }
        }
        return readers;
    }

    private static final class Readers implements TableReaders {
        private final List<Holder> holders = new ArrayList<>();
        private final List<Long> openings = new ArrayList<>();

        @Override
        public boolean areAny() {
            for (int i = 0; i < holders.size(); i++) {
                if (holders.get(i).openingInUse() == openings.get(i)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public boolean has(Object opening) {
            Open open = (Open) opening;
            int at = holders.indexOf(open.holder);
            return at >= 0 && openings.get(at) == open.opening;
        }
    }

    // ---- their end by the store

    /**
     * Ends one, so that using it throws an exception.
     *
     * @param bytes that it keeps
     * @param why what was exceeded, and what to do
     * @return whether it was open still
     */
    public boolean expire(Open open, long bytes, String why) {
        SnapshotTooOldException tooOld = new SnapshotTooOldException(
                open.text(versions.clock.nowOrLatest(), bytes) + ", and was ended by the store: " + why, open.openedAt);
        boolean ended = open.holder.expire(open.opening, tooOld);
        if (ended) {
            PinnedVersion pin = open.holder.get();
            if (pin != null) {
                pin.letGo();
            }
            remove(open.holder);
        }
        return ended;
    }

    // ---- the log

    /**
     * Tells once of each that is old, or keeps much.
     *
     * @param open those to look at
     * @param keeps how many bytes one keeps
     * @param much so many bytes
     */
    public void warn(List<Open> open, ToLongFunction<Open> keeps, long much) {
        long now = versions.clock.nowOrLatest();
        List<String> messages = new ArrayList<>();
        for (Open one : open) {
            long bytes = keeps.applyAsLong(one);
            Duration age = one.age(now);
            boolean isMuch = age.compareTo(LONG) >= 0 || bytes > much && age.compareTo(NOT_SHORT) >= 0;
            if (isMuch && one.mayExpire() && !one.holder.warned && one.holder.isStill(one.opening)) {
                one.holder.warned = true;
                messages.add(one.text(now, bytes) + "; close it soon" + WAYS_OUT);
            }
        }
        tell.accept(messages);
    }

    // ---- those that nobody has any more

    /** Takes back what was lost without being closed, and tells of it. Allocates nothing if nothing was. */
    public void takeBackLost() {
        List<String> messages = null;
        for (Reference<?> next = lost.poll(); next != null; next = lost.poll()) {
            messages = takeBack((Holder) next, messages);
        }
        if (messages != null) {
            tell.accept(messages);
        }
    }

    /** Returns the messages with one more, which may be the first. */
    private List<String> takeBack(Holder holder, List<String> messages) {
        List<String> more = messages;
        try {
            more = messages == null ? new ArrayList<>() : messages;
            addMessage(holder, more);
        } catch (OutOfMemoryError e) {
            // It is taken back all the same: the queue does not give it a second time.
        }
        holder.keepMemoryFromUse(); // a thread may be at its last step with it
        boolean wasOpen = holder.close();
        remove(holder);
        Runnable cleanup = holder.whenLost;
        if (wasOpen && cleanup != null) {
            cleanup.run();
        }
        return more;
    }

    private void addMessage(Holder holder, List<String> messages) {
        long opening = holder.opening();
        if (opening != Holder.NONE) {
            long now = versions.clock.nowOrLatest();
            Open open = new Open(holder, opening);
            messages.add(open.kind.what() + " at sequence number " + open.sequence + ", opened by thread \""
                    + open.thread
                    + "\" " + open.age(now).toSeconds() + " s ago, was never closed, and nobody has it any more; the"
                    + " store has closed it. Close it in the program, by try-with-resources" + WAYS_OUT);
        }
    }
}
