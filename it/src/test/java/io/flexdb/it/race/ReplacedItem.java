package io.flexdb.it.race;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.epoch.RetiredQueue;

/** An item that a writer replaces by another one, and frees as soon as the epochs let it. */
class ReplacedItem {
    static final int FREED = -1;
    private static final int READS = 8;

    /** Plain memory: nothing but the publication of the item orders what is written to it. */
    static final class Item {
        final long version;
        int content;

        Item(long version, int content) {
            this.version = version;
            this.content = content;
        }
    }

    final Epochs epochs = new Epochs();
    private final Item first = new Item(epochs.writerEpoch(), 1);
    private final RetiredQueue retired = new RetiredQueue(epochs, handle -> first.content = FREED);
    private volatile Item current = first;

    ReplacedItem() {
        epochs.advance();
    }

    final Item current() {
        return current;
    }

    /** Makes an item with content 2 the current one. */
    final void replace() {
        current = new Item(epochs.writerEpoch(), 2);
    }

    /** What the writer does to get the memory of the first item back as early as it may. */
    final void replaceAndReclaim() {
        replace();
        retired.retire(0, first.version);
        epochs.advance();
        reclaim();
    }

    final void reclaim() {
        for (int i = 0; i < 3; i++) {
            retired.reclaim();
            epochs.tryNextPhase();
        }
        retired.reclaim();
    }

    final void free() {
        first.content = FREED;
    }

    final boolean isFreed() {
        return first.content == FREED;
    }

    /** Looks at an item for a while; its content if that stays the same, else {@link #FREED}. */
    static int read(Item item) {
        int content = item.content;
        for (int i = 0; i < READS; i++) {
            Thread.onSpinWait(); // also keeps the compiler from reading once only
            if (item.content != content) {
                return FREED;
            }
        }
        return content;
    }
}
