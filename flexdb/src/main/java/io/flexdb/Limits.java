package io.flexdb;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.mem.ChannelBytes;
import io.flexdb.internal.mem.OperandFold;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WaitingOperands;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.write.BatchPayload;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What a key and a value may be; checked before anything is written. */
final class Limits {
    /** The longest value. The records, logs and batches that it becomes a part of must fit 2 GiB. */
    static final int MAX_VALUE_BYTES = OperandFold.MAX_VALUE_BYTES;

    private static final int NANOS_PER_MILLI = 1_000_000;

    private Limits() {}

    private static void checkKeyLength(byte[] head, int length) {
        if (length == 0) {
            throw new IllegalArgumentException("key must not be empty");
        }
        if (length > WritePayload.MAX_KEY_BYTES) {
            throw new IllegalArgumentException(
                    "key must have at most " + WritePayload.MAX_KEY_BYTES + " bytes: " + length);
        }
        int most = WritePayload.MAX_KEY_BYTES - KeyHeads.MAX_HEAD_BYTES;
        if (head.length > 0 && length > most) {
            throw new IllegalArgumentException("key must have at most " + most
                    + " bytes in a named keyspace, or if it begins with 0xFF: " + length);
        }
    }

    private static void checkValueLength(long length) {
        if (length > MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("value must have at most " + MAX_VALUE_BYTES + " bytes: " + length);
        }
    }

    /** The length of a key. */
    static int keyLength(KeyHeads heads, byte[] key) {
        int length = notNull(key, "key").length;
        checkKeyLength(heads.of(key), length);
        return length;
    }

    /** The length of the key that a buffer has between position and limit. */
    static int keyLength(KeyHeads heads, ByteBuffer key) {
        int length = notNull(key, "key").remaining();
        checkKeyLength(heads.of(key), length);
        return length;
    }

    /** Throws unless an operand may be merged into a key, both between position and limit. */
    static void operand(Store store, KeyHeads heads, ByteBuffer key, ByteBuffer operand) {
        store.requireMerger(heads.number());
        store.merges().checkOperand(heads.number(), key, operand);
        if (store.mayRefuseOperands()) {
            store.requireRoomToWait(heads.stored(key), WaitingOperands.bytesOf(operand.remaining()));
        }
    }

    /** Checks all operands of a batch. */
    static void operands(Store store, BatchPayload batch) {
        byte[] payload = batch.bytes();
        PayloadReader entry = new PayloadReader().reset(payload, 0, batch.length());
        Map<ByteBuffer, Long> bytesOfKeys = store.mayRefuseOperands() ? new HashMap<>() : null;
        while (entry.next()) {
            if (entry.type() == WritePayload.MERGE) {
                int operand = entry.keyIndex() + entry.keyLength();
                int head = KeyHeads.headBytes(payload, entry.keyIndex(), entry.keyLength());
                int keyspace = KeyHeads.numberOf(payload, entry.keyIndex(), entry.keyLength());
                store.requireMerger(keyspace);
                store.merges()
                        .checkOperand(
                                keyspace,
                                ByteBuffer.wrap(payload, entry.keyIndex() + head, entry.keyLength() - head),
                                ByteBuffer.wrap(payload, operand, entry.valueLength()));
                if (bytesOfKeys != null) {
                    byte[] key = Arrays.copyOfRange(payload, entry.keyIndex(), operand);
                    long bytes = WaitingOperands.bytesOf(entry.valueLength());
                    long all = bytes + bytesOfKeys.getOrDefault(ByteBuffer.wrap(key), 0L);
                    bytesOfKeys.put(ByteBuffer.wrap(key), all);
                    store.requireRoomToWait(key, all);
                }
            }
        }
    }

    /** The room that an array has from an offset on. */
    static int room(byte[] destination, int offset) {
        int length = notNull(destination, "destination").length;
        if (offset < 0 || offset > length) {
            throw new IllegalArgumentException("offset must be from 0 to " + length + ": " + offset);
        }
        return length - offset;
    }

    /**
     * Whether no key lies in a range.
     *
     * @param from the first key that does, or null for the first of all
     * @param to the first key behind it, or null if there is none
     * @throws IllegalArgumentException if the one is above the other, or one is longer than a key
     */
    static boolean isEmptyRange(KeyHeads heads, ByteBuffer from, ByteBuffer to) {
        boundLength(heads, from);
        if (boundLength(heads, to) == 0) {
            if (to != null && from != null && from.hasRemaining()) {
                throw new IllegalArgumentException("fromInclusive must not be above toExclusive, which is empty");
            }
            return to != null;
        }
        int order = from == null ? -1 : compareUnsigned(from, to);
        if (order > 0) {
            throw new IllegalArgumentException("fromInclusive must not be above toExclusive");
        }
        return order == 0;
    }

    private static int compareUnsigned(ByteBuffer a, ByteBuffer b) {
        int mismatch = a.mismatch(b);
        if (mismatch < 0) {
            return 0;
        }
        if (mismatch == a.remaining() || mismatch == b.remaining()) {
            return a.remaining() - b.remaining();
        }
        return Byte.compareUnsigned(a.get(a.position() + mismatch), b.get(b.position() + mismatch));
    }

    /** The length of a key where a range begins or ends; 0 for null, which stands for none. */
    private static int boundLength(KeyHeads heads, ByteBuffer bound) {
        int length = bound == null ? 0 : bound.remaining();
        if (length > 0) {
            checkKeyLength(heads.of(bound), length);
        }
        return length;
    }

    /** A copy of the key where a range begins, as it is stored; no bytes for the first of all. */
    static byte[] storedFrom(KeyHeads heads, ByteBuffer from) {
        if (from != null && from.hasRemaining()) {
            return heads.stored(from);
        }
        return heads.begin() == null ? KeyHeads.NO_HEAD : heads.begin();
    }

    /** A copy of the key where a range ends, as it is stored. */
    static byte[] storedTo(KeyHeads heads, ByteBuffer to) {
        return to == null ? heads.end() : heads.stored(to);
    }

    /** Such a key as a buffer. */
    static ByteBuffer wrapBound(byte[] bound) {
        return bound == null ? null : ByteBuffer.wrap(bound);
    }

    /** Moves a buffer's position to its limit, if there is one. */
    static void toLimit(ByteBuffer bound) {
        if (bound != null) {
            bound.position(bound.limit());
        }
    }

    /** The length of a value. */
    static int valueLength(byte[] value) {
        checkValueLength(notNull(value, "value").length);
        return value.length;
    }

    /** The length of the value that a buffer has between position and limit. */
    static int valueLength(ByteBuffer value) {
        int length = notNull(value, "value").remaining();
        checkValueLength(length);
        return length;
    }

    /** The length of the value that a channel is to have. */
    static int sourceLength(ReadableByteChannel source, long length) {
        notNull(source, "source");
        if (length < 0) {
            throw new IllegalArgumentException("length must not be negative: " + length);
        }
        checkValueLength(length);
        ChannelBytes.requireBlocking(source);
        return (int) length;
    }

    /** Milliseconds of the time that a value is to live; a part of one counts as a whole. */
    static long ttlMillis(Duration ttl) {
        if (notNull(ttl, "ttl").isZero() || ttl.isNegative()) {
            throw new IllegalArgumentException("ttl must be above 0: " + ttl);
        }
        try {
            return ttl.plusNanos(NANOS_PER_MILLI - 1).toMillis();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /** When a value expires, of which that is known in milliseconds since 1970; empty if it never does. */
    static Optional<Instant> expiry(long millis) {
        return millis == RecordFormat.NEVER || millis == Long.MIN_VALUE
                ? Optional.empty()
                : Optional.of(Instant.ofEpochMilli(millis));
    }

    static <T> T notNull(T argument, String name) {
        if (argument == null) {
            throw new NullPointerException(name + " must not be null");
        }
        return argument;
    }

    /** A path of files of the operating system, which alone can be locked and forced. */
    static Path localPath(Path path, String name) {
        if (notNull(path, name).getFileSystem() != FileSystems.getDefault()) {
            throw new IllegalArgumentException(name + " must be a path of the operating system's files, but is one of "
                    + path.getFileSystem() + ": " + path);
        }
        return path;
    }

    /**
     * Throws if a path is in a directory, or is it, symbolic links followed as far as there is something.
     *
     * @param what the directory is, in messages
     */
    static void requireOutside(Path path, String name, Path directory, String what) {
        if (realPath(path).startsWith(realPath(directory))) {
            throw new IllegalArgumentException(name + " must not be in " + what + ": " + path);
        }
    }

    private static Path realPath(Path path) {
        Path absolute = path.toAbsolutePath();
        for (Path there = absolute; there != null; there = there.getParent()) {
            try {
                return there.toRealPath().resolve(there.relativize(absolute)).normalize();
            } catch (NoSuchFileException e) {
                // It is not there: then what it is in.
            } catch (IOException e) {
                if (!isBelowFile(there)) {
                    throw new StoreIoException("resolution", there, e);
                } // else it is not there either
            }
        }
        return absolute.normalize();
    }

    private static boolean isBelowFile(Path path) {
        Path above = path.getParent();
        return above != null && (Files.isRegularFile(above) || isBelowFile(above));
    }

    /** Whether what was to be copied has been, as there was room. */
    static int requireRoom(int length, int room, String what) {
        if (length > room) {
            throw new IllegalArgumentException(
                    "destination has room for " + room + " bytes, but the " + what + " has " + length);
        }
        return length;
    }
}
