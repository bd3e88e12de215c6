package io.flexdb.jmh.flexdb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.lmdbjava.ByteBufferProxy;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.SeekOp;
import org.lmdbjava.Stat;
import org.lmdbjava.Txn;

/**
 * LMDB, one transaction for each put. Without sync it writes to its mapped file (MDB_WRITEMAP), which is the faster way,
 * and leaves the rest to the operating system (MDB_NOSYNC), so that a killed process loses nothing. Its cache is the page
 * cache. With more data than memory the kernel is told not to read ahead (MDB_NORDAHEAD).
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
            flags.addAll(Set.of(EnvFlags.MDB_NOSYNC, EnvFlags.MDB_NOMETASYNC, EnvFlags.MDB_WRITEMAP));
        }
        if (settings.beyondMemory()) {
            flags.add(EnvFlags.MDB_NORDAHEAD);
        }
        this.environment = Env.create(ByteBufferProxy.PROXY_OPTIMAL)
                .setMapSize(MAP_BYTES)
                .setMaxDbs(1)
                .setMaxReaders(MAX_READERS)
                .open(settings.directory().toFile(), flags.toArray(EnvFlags[]::new));
        this.database = environment.openDbi("pairs".getBytes(US_ASCII), DbiFlags.MDB_CREATE);
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
        Client mine = client.get();
        mine.reading.renew();
        try {
            ByteBuffer found = database.get(mine.reading, mine.key(key));
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
            while (done < pairs && valid) {
                consumer.accept(copy(cursor.key()), values ? copy(cursor.val()) : null);
                done++;
                valid = cursor.seek(SeekOp.MDB_NEXT);
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
