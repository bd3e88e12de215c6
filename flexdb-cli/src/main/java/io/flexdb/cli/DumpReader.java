package io.flexdb.cli;

import io.flexdb.FlexDB;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads a dump, see {@link DumpFormat}. Whatever is in it, a dump is refused with a message, and no more memory is taken
 * than it has bytes.
 */
final class DumpReader {
    /** Takes the content of a dump. */
    interface Target {
        /** Begins a keyspace; its name is empty for the default one. */
        void keyspace(String name) throws IOException;

        /** Takes a pair of the keyspace. The value has to be read whole. */
        void pair(byte[] key, Value value, long expiry) throws IOException;
    }

    /** A value that can be read once, or skipped. */
    interface Value {
        byte[] read() throws IOException;

        void skip() throws IOException;
    }

    private final DataInputStream in;
    private final Target target;
    private final Set<String> names = new HashSet<>();
    private byte[] lastKey; // of the keyspace; null before its first one
    private long pairs;

    private DumpReader(InputStream in, Target target) throws IOException {
        this.in = new DataInputStream(new BufferedInputStream(new ChunkInput(in), DumpFormat.MAX_CHUNK_BYTES));
        this.target = target;
    }

    /** Hands a dump to a target; returns the number of pairs. */
    static long read(InputStream in, Target target) throws IOException {
        DumpReader reader = new DumpReader(in, target);
        try {
            reader.readRecords();
        } catch (EOFException e) {
            throw ChunkInput.refused("it ends within a record");
        }
        return reader.pairs;
    }

    private void readRecords() throws IOException {
        for (int kind = in.readUnsignedByte(); kind != DumpFormat.END; kind = in.readUnsignedByte()) {
            if (kind == DumpFormat.KEYSPACE) {
                readKeyspace();
            } else if (kind == DumpFormat.PAIR) {
                readPair();
            } else {
                throw ChunkInput.refused("it has a record of unknown kind " + kind);
            }
        }
        long expected = in.readLong();
        if (expected != pairs) {
            throw ChunkInput.refused("it says that it has " + expected + " pairs, and has " + pairs);
        }
        if (in.read() >= 0) {
            throw ChunkInput.refused("it has records behind its end");
        }
    }

    private void readKeyspace() throws IOException {
        int length = in.readUnsignedShort();
        if (length > DumpFormat.MAX_NAME_BYTES) {
            throw ChunkInput.refused("it has a name of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        String name = new String(bytes, StandardCharsets.UTF_8);
        if (!names.add(name)) {
            throw ChunkInput.refused("it has two keyspaces of one name");
        }
        lastKey = null;
        target.keyspace(name);
    }

    private void readPair() throws IOException {
        int keyLength = in.readInt();
        int valueLength = in.readInt();
        long expiry = in.readLong();
        boolean isKey = keyLength > 0 && keyLength <= DumpFormat.MAX_KEY_BYTES;
        if (names.isEmpty() || !isKey || valueLength < 0 || valueLength > FlexDB.MAX_VALUE_BYTES) {
            throw ChunkInput.refused(
                    "pair " + pairs + " has a key of " + keyLength + " bytes and a value of " + valueLength + " bytes");
        }
        byte[] key = new byte[keyLength];
        in.readFully(key);
        if (lastKey != null && Arrays.compareUnsigned(lastKey, key) >= 0) {
            throw ChunkInput.refused("the key of pair " + pairs + " is not above that before it");
        }
        lastKey = key;
        pairs++;
        target.pair(key, value(valueLength), expiry);
    }

    private Value value(int length) {
        return new Value() {
            @Override
            public byte[] read() throws IOException {
                byte[] value = in.readNBytes(length); // grows with what is there
                if (value.length < length) {
                    throw new EOFException();
                }
                return value;
            }

            @Override
            public void skip() throws IOException {
                in.skipNBytes(length);
            }
        };
    }
}
