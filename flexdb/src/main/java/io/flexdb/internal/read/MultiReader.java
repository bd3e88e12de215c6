package io.flexdb.internal.read;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.mem.MergedValue;
import java.nio.ByteBuffer;
import java.util.function.ObjIntConsumer;

/** Looks many keys up in one view of a store. For one thread; rests in a context, and makes no garbage there. */
public final class MultiReader implements AutoCloseable {
    /*
     * The view is pinned, so that each lookup can be a short read of its own, and whoever gets the values may take as
     * long as he likes. Keys are looked up in their order: those that lie in one interval then share the walk to it,
     * and neighbours the processor's cache.
     */
    private final StoreVersions versions;
    private final StoreReader reader;
    private final ReadContexts contexts;
    private final ReadContext context;
    final PinnedVersion pin;
    private final KeyList keys = new KeyList();

    MultiReader(StoreVersions versions, StoreReader reader, ReadContexts contexts, ReadContext context) {
        this.versions = versions;
        this.reader = reader;
        this.contexts = contexts;
        this.context = context;
        this.pin = new PinnedVersion(versions, HolderKind.LOOKUP);
    }

    /** Adds a key, which is copied. */
    public void add(KeyHeads heads, byte[] key) {
        keys.add(heads, key);
    }

    /** Adds a key between position and limit, which stay. */
    public void add(KeyHeads heads, ByteBuffer key) {
        keys.add(heads, key);
    }

    /** Hands out the value of each key, or null, with the key's number, in any order. */
    public void read(ObjIntConsumer<ByteBuffer> values) {
        pin.beginRead(); // to keep all that it shows until the last value was taken
        try {
            readAll(values);
        } finally {
            pin.endRead();
        }
    }

    private void readAll(ObjIntConsumer<ByteBuffer> values) {
        keys.sort();
        context.beginAscending();
        for (int place = 0; place < keys.count(); place++) {
            int key = keys.inOrder(place);
            int length = keys.length(key);
            byte[] bytes = context.keyRoom(length);
            keys.copy(key, bytes);
            int found;
            pin.requireNotExpired(); // the one before may have taken long
            int ticket = versions.enterToRead();
            try {
                found = reader.find(bytes, length, pin, context);
            } finally {
                versions.exit(ticket);
            }
            // The pin and this context stay valid outside of the short read.
            if (found == StoreReader.MERGED) {
                MergedValue merged = reader.fold(context, pin);
                values.accept(
                        merged == null ? null : ByteBuffer.wrap(merged.bytes()).asReadOnlyBuffer(), key);
            } else {
                values.accept(found == IntervalReader.ABSENT ? null : view(found), key);
            }
        }
    }

    private ByteBuffer view(int length) {
        int from = context.base;
        if (!context.hasImage()) {
            // A memtable's memory is used again, so it is not shown to others.
            context.memory(length).put(0, context.image, from, length);
            from = 0;
        }
        return context.view().clear().limit(from + length).position(from);
    }

    @Override
    public void close() {
        keys.clear();
        if (!pin.closeToReopen()) {
            context.multi = null;
            pin.close();
        }
        contexts.giveBack(context);
    }
}
