package io.flexdb;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.StripedPool;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.base.Operations;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.open.StoreFiles;
import io.flexdb.internal.read.KeptBytes;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.write.StoreWriter;
import java.nio.file.Path;

/** A store, open or closed, as a {@link FlexDB} shares it with its keyspaces and snapshots. */
final class StoreAccess implements ReadSource {
    private static final long KEPT_PAYLOAD_BYTES = 4 << 20; // on the heap, beside what is always kept

    // Null once closed, or who names a closed store would keep its memory: db.close(); db = FlexDB.open(...) needs
    // both.
    // Not volatile: who sees an old one is turned away by the store itself.
    private Store store;

    final Health health;
    final StoreSettings settings; // with all that was derived
    final Path directory;
    final Durability durability;
    final Operations operations;
    private final StripedPool<Payload> payloads = new StripedPool<>(Payload::reused);
    private final KeptBytes keptPayloads = new KeptBytes(KEPT_PAYLOAD_BYTES);

    StoreAccess(Store store) {
        this.store = store;
        this.health = store.health();
        this.operations = store.operations;
        this.settings = store.settings();
        this.directory = store.directory();
        this.durability = Durability.of(settings.force);
    }

    Store store() {
        Store open = store;
        if (open == null) {
            throw health.refusal();
        }
        open.merges().requireOutside();
        return open;
    }

    /** The store; null once it is closed. */
    Store storeIfOpen() {
        return store;
    }

    StoreWriter writer() {
        return store().writer();
    }

    @Override
    public Operations operations() {
        return operations;
    }

    @Override
    public StoreReader reader() {
        return store().reader();
    }

    @Override
    public Vfs vfs() {
        return store().vfs();
    }

    @Override
    public long storeId() {
        return store().engine.storeId();
    }

    @Override
    public Path dataFile() {
        return directory.resolve(StoreFiles.SPACE_NAME).resolve("data");
    }

    @Override
    public StoreReader reader(Snapshot snapshot) {
        return reader(); // which tells a pin of another store from its own
    }

    /** The durability of a write that asks for at least this one. */
    Durability raised(Durability atLeast) {
        return Limits.notNull(atLeast, "atLeast").orStronger(durability);
    }

    /** The durability of a write with these options. */
    Durability durability(WriteOptions options) {
        return Limits.notNull(options, "options").in(durability);
    }

    /** The durability of a write that has no value to live for a time. */
    Durability durability(WriteOptions options, String what) {
        return Limits.notNull(options, "options").requireNoTimeToLive(what).in(durability);
    }

    Payload borrowPayload() {
        Payload payload = payloads.borrow();
        int bytes = payload.largeBytes();
        if (bytes > 0) {
            keptPayloads.take(bytes);
        }
        payload.clear();
        return payload;
    }

    void giveBack(Payload payload) {
        int bytes = payload.largeBytes(); // mostly none, and then nothing that threads share is written
        if (bytes > 0 && !keptPayloads.keep(bytes)) {
            return;
        }
        if (!payloads.giveBack(payload) && bytes > 0) {
            keptPayloads.take(bytes);
        }
    }

    void close() {
        Store open = store;
        if (open != null) {
            open.merges().requireOutside();
            try {
                open.close();
            } finally {
                store = null;
            }
        }
    }
}
