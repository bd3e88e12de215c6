package io.flexdb.jmh.flexdb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.lmdbjava.ByteBufferProxy;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.PutFlags;
import org.lmdbjava.SeekOp;
import org.lmdbjava.Stat;
import org.lmdbjava.Txn;

/**
 * LMDB, one transaction for each put. Without sync it writes to its mapped file (MDB_WRITEMAP), which is the faster way,
 * and leaves the rest to the operating system (MDB_NOSYNC), so that a killed process loses nothing. Its cache is the page
 * cache. With more data than memory the kernel is told not to read ahead (MDB_NORDAHEAD). For files it does not write to its
 * mapped file.
 */
final class LmdbStore implements KeyValueStore {
    private static final long MAP_BYTES = 1L << 40; // of addresses, not of disk
    private static final int MAX_READERS = 256;
    private static final int KEY_BYTES = 511; // the most that LMDB takes

    private final Env<ByteBuffer> environment;
    private final Dbi<ByteBuffer> database;
    private final List<Client> clients = new ArrayList<>();
    private final ThreadLocal<Client> client = ThreadLocal.withInitial(this::newClient);

    LmdbStore(StoreSettings settings) {
        Set<EnvFlags> flags = EnumSet.of(EnvFlags.MDB_NOTLS);
        if (!settings.sync()) {
            flags.addAll(Set.of(EnvFlags.MDB_NOSYNC, EnvFlags.MDB_NOMETASYNC));
            if (settings.use() != Use.FILES) {
                flags.add(EnvFlags.MDB_WRITEMAP);
            }
        }
        if (settings.beyondMemory()) {
            flags.add(EnvFlags.MDB_NORDAHEAD);
        }
        this.environment = Env.create(ByteBufferProxy.PROXY_OPTIMAL)
                .setMapSize(MAP_BYTES)
                .setMaxDbs(2)
                .setMaxReaders(MAX_READERS)
                .open(settings.directory().toFile(), flags.toArray(EnvFlags[]::new));
        this.database = open("pairs");
    }

    private Dbi<ByteBuffer> open(String name) {
        return environment.openDbi(name.getBytes(US_ASCII), DbiFlags.MDB_CREATE);
    }

    /** What a thread uses again and again: a reading transaction, and buffers. */
    private static final class Client {
        private final Txn<ByteBuffer> reading;
        private final ByteBuffer key = ByteBuffer.allocateDirect(KEY_BYTES);
        private ByteBuffer value = ByteBuffer.allocateDirect(4096);
        private Thread user = Thread.currentThread();

        Client(Txn<ByteBuffer> reading) {
            this.reading = reading;
        }

        ByteBuffer key(byte[] bytes) {
            return key.clear().put(bytes).flip();
        }

        ByteBuffer value(byte[] bytes) {
            if (value.capacity() < bytes.length) {
                value = ByteBuffer.allocateDirect(2 * bytes.length);
            }
            return value.clear().put(bytes).flip();
        }
    }

    /** That of a thread that has ended, if there is one: LMDB has a place for so many readers, whoever uses it. */
    private Client newClient() {
        synchronized (clients) {
            for (Client client : clients) {
                if (!client.user.isAlive()) {
                    client.user = Thread.currentThread();
                    return client;
                }
            }
            Txn<ByteBuffer> reading = environment.txnRead();
            reading.reset();
            Client made = new Client(reading);
            clients.add(made);
            return made;
        }
    }

    @Override
    public void put(byte[] key, byte[] value) {
        Client mine = client.get();
        try (Txn<ByteBuffer> writing = environment.txnWrite()) {
            database.put(writing, mine.key(key), mine.value(value));
            writing.commit();
        }
    }

    @Override
    public boolean update(byte[] key, byte[] value) {
        Client mine = client.get();
        try (Txn<ByteBuffer> writing = environment.txnWrite()) {
            database.get(writing, mine.key(key));
            database.put(writing, mine.key(key), mine.value(value));
            writing.commit();
        }
        return true;
    }

    /** Each read of LMDB is one of a snapshot. */
    @Override
    public byte[] getFromSnapshot(byte[] key) {
        return get(key);
    }

    @Override
    public byte[] get(byte[] key) {
        return get(database, key);
    }

    private byte[] get(Dbi<ByteBuffer> from, byte[] key) {
        Client mine = client.get();
        mine.reading.renew();
        try {
            ByteBuffer found = from.get(mine.reading, mine.key(key));
            return found == null ? null : copy(found);
        } finally {
            mine.reading.reset();
        }
    }

    @Override
    public int scan(byte[] from, int pairs, boolean values, PairConsumer consumer) {
        Client mine = client.get();
        mine.reading.renew();
        int done = 0;
        try (Cursor<ByteBuffer> cursor = database.openCursor(mine.reading)) {
            boolean valid = cursor.get(mine.key(from), GetOp.MDB_SET_RANGE);
            while (valid) {
                consumer.accept(copy(cursor.key()), values ? copy(cursor.val()) : null);
                valid = ++done < pairs && cursor.seek(SeekOp.MDB_NEXT);
            }
        } finally {
            mine.reading.reset();
        }
        return done;
    }

    @Override
    public long copyTo(Path directory) {
        long start = System.nanoTime();
        try {
            environment.copy(Files.createDirectories(directory).toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return System.nanoTime() - start;
    }

    /** The inner pages, which the page cache has to hold if a read is not to wait more than once. */
    @Override
    public Map<String, Long> indexMemory() {
        Client mine = client.get();
        mine.reading.renew();
        try {
            Stat stat = database.stat(mine.reading);
            return Map.of("inner pages", stat.branchPages * stat.pageSize);
        } finally {
            mine.reading.reset();
        }
    }

    @Override
    public Buffered buffered() {
        return new Buffered() {
            private Txn<ByteBuffer> reading; // null before it is needed, since it holds back what puts would free
            private Cursor<ByteBuffer> cursor;

            @Override
            public void put(ByteBuffer key, ByteBuffer value) {
                try (Txn<ByteBuffer> writing = environment.txnWrite()) {
                    database.put(writing, key, value);
                    writing.commit();
                }
            }

            @Override
            public boolean get(ByteBuffer key, ByteBuffer value) {
                Client mine = client.get();
                mine.reading.renew();
                try {
                    ByteBuffer found = database.get(mine.reading, key);
                    if (found != null) {
                        value.put(found);
                    }
                    return found != null;
                } finally {
                    mine.reading.reset();
                }
            }

            @Override
            public void next(ByteBuffer key, ByteBuffer value) {
                if (reading == null) {
                    reading = environment.txnRead();
                    cursor = database.openCursor(reading);
                }
                if (!cursor.next()) {
                    cursor.first();
                }
                key.put(cursor.key());
                value.put(cursor.val());
            }

            @Override
            public void close() {
                if (reading != null) {
                    cursor.close();
                    reading.close();
                }
            }
        };
    }

    /** Keyspaces are databases, and a range is deleted key by key. */
    @Override
    public OrderedStore ordered() {
        List<Dbi<ByteBuffer>> spaces = List.of(database, open("blocks"));
        return new OrderedStore() {
            private Dbi<ByteBuffer> in(Space space) {
                return spaces.get(space.ordinal());
            }

            @Override
            public byte[] get(Space space, byte[] key) {
                return LmdbStore.this.get(in(space), key);
            }

            /** With a transaction of its own, since the visitor may read. */
            @Override
            public void scan(Space space, byte[] from, byte[] to, PairConsumer visitor) {
                try (Txn<ByteBuffer> own = environment.txnRead();
                        Cursor<ByteBuffer> cursor = in(space).openCursor(own)) {
                    boolean valid = cursor.get(client.get().key(from), GetOp.MDB_SET_RANGE);
                    while (valid) {
                        byte[] found = copy(cursor.key());
                        if (Arrays.compareUnsigned(found, to) >= 0) {
                            return;
                        }
                        visitor.accept(found, copy(cursor.val()));
                        valid = cursor.seek(SeekOp.MDB_NEXT);
                    }
                }
            }

            @Override
            public void write(Changes changes) {
                Client mine = client.get();
                try (Txn<ByteBuffer> writing = environment.txnWrite()) {
                    for (Change change : changes.all()) {
                        Dbi<ByteBuffer> into = in(change.space());
                        if (change.to() != null) {
                            deleteRange(writing, into, mine.key(change.key()), change.to());
                        } else if (change.value() == null) {
                            into.delete(writing, mine.key(change.key()));
                        } else {
                            into.put(writing, mine.key(change.key()), mine.value(change.value()));
                        }
                    }
                    writing.commit();
                }
            }
        };
    }

    private static void deleteRange(Txn<ByteBuffer> writing, Dbi<ByteBuffer> in, ByteBuffer from, byte[] to) {
        try (Cursor<ByteBuffer> cursor = in.openCursor(writing)) {
            boolean valid = cursor.get(from, GetOp.MDB_SET_RANGE);
            while (valid && Arrays.compareUnsigned(copy(cursor.key()), to) < 0) {
                cursor.delete();
                valid = cursor.get(from, GetOp.MDB_SET_RANGE);
            }
        }
    }

    /** In one transaction; the close forces it to the disk. */
    @Override
    public long load(Consumer<PairConsumer> pairs) {
        Client mine = client.get();
        try (Txn<ByteBuffer> writing = environment.txnWrite()) {
            pairs.accept((key, value) -> database.put(writing, mine.key(key), mine.value(value), PutFlags.MDB_APPEND));
            writing.commit();
        }
        return 0;
    }

    private static byte[] copy(ByteBuffer source) {
        byte[] bytes = new byte[source.remaining()];
        source.get(source.position(), bytes);
        return bytes;
    }

    @Override
    public void close() {
        synchronized (clients) {
            clients.forEach(each -> each.reading.close());
        }
        environment.sync(true);
        environment.close();
    }
}
