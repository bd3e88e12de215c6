package io.flexdb.internal.read;

import io.flexdb.base.waiting.Waiter;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.StripedPool;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The number of the last visible write, and the turns of writers to become visible. Thread-safe. */
public final class VisibleSequence {
    /*
     * The problem: writes become visible in the order of their numbers, and a writer returns when its write is visible.
     * A writer may lose the processor between getting its number and this, and holds up all behind it. If these look
     * now and then whether it is their turn, they take the processor that it needs.
     *
     * The choice: hand-over. A writer that finds its predecessor visible, as almost always, makes its own write
     * visible. Another one leaves its turn here and parks. The predecessor, once visible, takes the turn of its
     * successor, makes that visible in its stead, and so on to the first number that has left no turn; then it wakes
     * these writers, and nobody else. A late writer therefore costs all behind it one wake-up each, however late it is.
     *
     * A turn is left in a slot, by the number that its write begins with. A slot is a stack of the few turns that meet
     * there. It is taken out whole, and those whose time has not come are put back. A thread that waits for others'
     * writes only leaves a turn without a write of its own, behind the last of them.
     *
     * T1  visible never falls. The owner of number visible + 1 alone writes it: the writer itself, or the thread that
     *     has taken its turn out of the slot.
     * T2  After a number is made visible its maker looks into the slot of the next one. After a turn is put into a slot,
     *     or put back, visible is read again. Both are volatile, so one of the two sees the other.
     * T3  A turn waits for the last number of a write, so that is met exactly.
     * T4  A turn that was taken out is put back or woken, once. Then its owner may use it again.
     * T5  A failure of the store wakes everybody: it counts before all slots are emptied, and a thread that has put a
     *     turn into a slot looks for it afterwards.
     */
    private static final int SLOT_BITS = 8;
    private static final int SPINS = 8; // about as long as the last steps of a predecessor that is running

    /** A wait of one thread. */
    private static final class Turn extends Waiter {
        private long first; // number of the write
        private long last; // first - 1 if there is no write
        private Turn next;
    }

    private final Health health;
    private final AtomicReferenceArray<Turn> slots = new AtomicReferenceArray<>(1 << SLOT_BITS);
    private final StripedPool<Turn> turns = new StripedPool<>(Turn::new);
    private volatile long visible;

    /** @param visible the number of the last write that is visible already */
    public VisibleSequence(long visible, Health health) {
        this.visible = visible;
        this.health = health;
        // Found before the heap can be full, as in Waiter.
        slots.compareAndSet(0, null, null);
        slots.getAndSet(0, null);
    }

    /** The number of the last visible write. */
    public long get() {
        return visible;
    }

    /** Makes all writes up to a number visible. Where nobody else writes or waits. */
    public void set(long sequence) {
        visible = sequence;
    }

    /**
     * Makes a write visible that is inserted, and returns when it is: after all before it.
     *
     * @throws io.flexdb.storage.StoreFailedException if the store fails first
     */
    public void advance(long first, long last) {
        if (!comesSoon(first - 1)) {
            leaveTurn(first, last);
            return;
        }
        visible = last;
        int next = slot(last + 1);
        if (slots.get(next) != null) {
            handOver(next);
        }
    }

    /**
     * Returns once all writes up to a number are visible.
     *
     * @param sequence the last number of a write (T3)
     * @throws io.flexdb.storage.StoreFailedException if the store fails first
     */
    public void await(long sequence) {
        if (!comesSoon(sequence)) {
            leaveTurn(sequence + 1, sequence);
        }
    }

    private boolean comesSoon(long sequence) {
        for (int spins = 0; visible < sequence; spins++) {
            if (spins == SPINS) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private void leaveTurn(long first, long last) {
        Turn turn = turns.borrowPatiently(); // a write with a number must become visible
        turn.first = first;
        turn.last = last;
        turn.begin();
        int slot = slot(first);
        putBack(slot, turn, turn);
        if (visible >= first - 1) {
            handOver(slot);
        }
        healthChanged();
        turn.await();
        turns.giveBack(turn);
        if (visible < last) {
            health.requireNotFailed();
        }
    }

    /** Makes visible those whose turn has come, beginning with one in a slot, and wakes them. */
    private void handOver(int from) {
        int slot = from;
        Turn come = null; // those to be woken, and the last of them
        Turn lastCome = null;
        boolean hasPutBack = false;
        while (slots.get(slot) != null) {
            long now = visible;
            Turn chain = slots.getAndSet(slot, null);
            Turn write = null; // whose turn it is
            Turn early = null; // those whose turn it is not yet, and the last of them
            Turn lastEarly = null;
            while (chain != null) {
                Turn turn = chain;
                chain = turn.next;
                boolean isWrite = turn.last >= turn.first;
                if (turn.first - 1 > now) {
                    turn.next = early;
                    early = turn;
                    lastEarly = lastEarly == null ? turn : lastEarly;
                } else {
                    turn.next = null;
                    write = isWrite ? turn : write;
                    if (come == null) {
                        come = turn;
                    } else {
                        lastCome.next = turn;
                    }
                    lastCome = turn;
                }
            }
            if (early != null) {
                putBack(slot, early, lastEarly);
                hasPutBack = true;
            }
            if (write != null) {
                assert write.first == visible + 1 : "T1";
                visible = write.last;
                slot = slot(write.last + 1);
            } else if (early == null || visible == now) {
                break; // else whoever has moved it may have looked for one that was not there (T2)
            }
        }
        if (hasPutBack) {
            healthChanged();
        }
        wake(come);
    }

    private void putBack(int slot, Turn first, Turn last) {
        Turn top;
        do {
            top = slots.get(slot);
            last.next = top;
        } while (!slots.compareAndSet(slot, top, first));
    }

    /** To be called when the store's health has changed. Allocates nothing. */
    public void healthChanged() {
        if (health.hasFailed()) {
            wakeAll();
        }
    }

    private void wakeAll() {
        for (int slot = 0; slot < slots.length(); slot++) {
            wake(slots.getAndSet(slot, null));
        }
    }

    private static void wake(Turn first) {
        Turn turn = first;
        while (turn != null) {
            Turn next = turn.next; // its owner may use it again as soon as it is woken
            turn.wake();
            turn = next;
        }
    }

    private static int slot(long number) {
        return (int) (number * 0x9e37_79b9_7f4a_7c15L >>> Long.SIZE - SLOT_BITS);
    }

    @Override
    public String toString() {
        return "VisibleSequence[" + visible + "]";
    }
}
