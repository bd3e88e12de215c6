package io.flexdb.jmh.files;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.Keyspace;
import io.flexdb.ReadOptions;
import io.flexdb.WriteBatch;
import java.nio.file.Path;

/** FlexDB with default options but for its cache; keyspaces are keyspaces. One batch is used again. For one thread. */
final class FlexDBOrdered implements OrderedStore {
    private final FlexDB db;
    private final Keyspace[] spaces;
    private final WriteBatch batch = new WriteBatch();
    private final WriteBatch[] batches; // the same for each keyspace

    FlexDBOrdered(Path directory, long cacheBytes) {
        this.db = FlexDB.open(directory, FlexDBOptions.defaults().withCacheBytes(cacheBytes));
        this.spaces = new Keyspace[] {db.createKeyspaceIfAbsent("entries"), db.createKeyspaceIfAbsent("blocks")};
        this.batches = new WriteBatch[] {batch.in(spaces[0]), batch.in(spaces[1])};
    }

    private Keyspace in(Space space) {
        return spaces[space.ordinal()];
    }

    @Override
    public byte[] get(Space space, byte[] key) {
        return in(space).get(key);
    }

    @Override
    public void scan(Space space, byte[] from, byte[] to, Visitor visitor) {
        ReadOptions options = ReadOptions.defaults().withLowerBound(from).withUpperBound(to);
        try (FlexCursor cursor = in(space).cursor(options)) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                visitor.accept(cursor.key(), cursor.value());
            }
        }
    }

    @Override
    public void write(Changes changes) {
        batch.clear();
        for (Change change : changes.all()) {
            WriteBatch into = batches[change.space().ordinal()];
            if (change.to() != null) {
                into.deleteRange(change.key(), change.to());
            } else if (change.value() == null) {
                into.delete(change.key());
            } else {
                into.put(change.key(), change.value());
            }
        }
        db.write(batch);
    }

    @Override
    public void close() {
        db.close();
    }
}
