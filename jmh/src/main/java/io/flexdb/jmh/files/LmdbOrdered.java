package io.flexdb.jmh.files;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.lmdbjava.ByteBufferProxy;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.SeekOp;
import org.lmdbjava.Txn;

/**
 * LMDB, which leaves writing to the operating system; keyspaces are databases, and a range is deleted key by key. For one
 * thread.
 */
final class LmdbOrdered implements OrderedStore {
    private static final long MAP_BYTES = 64L << 30;
    private static final int KEY_BYTES = 511;

    private final Env<ByteBuffer> environment;
    private final Dbi<ByteBuffer>[] spaces;
    private final Txn<ByteBuffer> reading;
    private final ByteBuffer key = ByteBuffer.allocateDirect(KEY_BYTES);
    private ByteBuffer value = ByteBuffer.allocateDirect(1 << 20);

    @SuppressWarnings({"unchecked", "rawtypes"})
    LmdbOrdered(Path directory) {
        this.environment = Env.create(ByteBufferProxy.PROXY_OPTIMAL)
                .setMapSize(MAP_BYTES)
                .setMaxDbs(2)
                .open(directory.toFile(), EnvFlags.MDB_NOTLS, EnvFlags.MDB_NOSYNC, EnvFlags.MDB_NOMETASYNC);
        this.spaces = new Dbi[] {
            environment.openDbi("entries".getBytes(US_ASCII), DbiFlags.MDB_CREATE),
            environment.openDbi("blocks".getBytes(US_ASCII), DbiFlags.MDB_CREATE)
        };
        this.reading = environment.txnRead();
        reading.reset();
    }

    private Dbi<ByteBuffer> in(Space space) {
        return spaces[space.ordinal()];
    }

    private ByteBuffer key(byte[] bytes) {
        return key.clear().put(bytes).flip();
    }

    private ByteBuffer value(byte[] bytes) {
        if (value.capacity() < bytes.length) {
            value = ByteBuffer.allocateDirect(bytes.length);
        }
        return value.clear().put(bytes).flip();
    }

    private static byte[] copy(ByteBuffer source) {
        byte[] bytes = new byte[source.remaining()];
        source.get(source.position(), bytes);
        return bytes;
    }

    @Override
    public byte[] get(Space space, byte[] wanted) {
        reading.renew();
        try {
            ByteBuffer found = in(space).get(reading, key(wanted));
            return found == null ? null : copy(found);
        } finally {
            reading.reset();
        }
    }

    /** With a transaction of its own, since the visitor may read. */
    @Override
    public void scan(Space space, byte[] from, byte[] to, Visitor visitor) {
        try (Txn<ByteBuffer> own = environment.txnRead();
                Cursor<ByteBuffer> cursor = in(space).openCursor(own)) {
            boolean valid = cursor.get(key(from), GetOp.MDB_SET_RANGE);
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
        try (Txn<ByteBuffer> writing = environment.txnWrite()) {
            for (Change change : changes.all()) {
                if (change.to() != null) {
                    deleteRange(writing, change);
                } else if (change.value() == null) {
                    in(change.space()).delete(writing, key(change.key()));
                } else {
                    in(change.space()).put(writing, key(change.key()), value(change.value()));
                }
            }
            writing.commit();
        }
    }

    private void deleteRange(Txn<ByteBuffer> writing, Change range) {
        try (Cursor<ByteBuffer> cursor = in(range.space()).openCursor(writing)) {
            boolean valid = cursor.get(key(range.key()), GetOp.MDB_SET_RANGE);
            while (valid && Arrays.compareUnsigned(copy(cursor.key()), range.to()) < 0) {
                cursor.delete();
                valid = cursor.get(key(range.key()), GetOp.MDB_SET_RANGE);
            }
        }
    }

    @Override
    public void close() {
        reading.close();
        environment.close();
    }
}
