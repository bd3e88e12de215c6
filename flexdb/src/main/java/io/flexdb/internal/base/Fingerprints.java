package io.flexdb.internal.base;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The fingerprints of keys, by which directories and outlines of intervals lead to pairs: 8 bits each. What makes them
 * is drawn for each store, so that nobody can choose keys that meet, and is saved with them.
 */
public final class Fingerprints {
    /*
     * Those of a memtable's hashes would do, were they not of the process: what is saved with one function is of no use
     * to another. To hash a key twice for a lookup costs a few nanoseconds.
     */
    private static final int SHIFT = Long.SIZE - Byte.SIZE;
    private static final int SECRETS = 4;

    /** Bytes of what makes them. */
    public static final int SAVED_BYTES = SECRETS * Long.BYTES;

    private long s0;
    private long s1;
    private long s2;
    private long s3;

    /** Draws others than anybody has. */
    public Fingerprints() {
        renew();
    }

    private void set(long[] secrets) {
        s0 = secrets[0];
        s1 = secrets[1];
        s2 = secrets[2];
        s3 = secrets[3];
    }

    /** The fingerprint of a key. */
    public byte of(byte[] key, int length) {
        return (byte) (KeyHash.hash(key, 0, length, s0, s1, s2, s3) >>> SHIFT);
    }

    /** The fingerprint of a key in a little-endian buffer. */
    public byte of(ByteBuffer buffer, int position, int length) {
        return (byte) (KeyHash.hash(buffer, position, length, s0, s1, s2, s3) >>> SHIFT);
    }

    /** Draws what makes them anew. Before anybody asks for one, and so is {@link #restore}. */
    public void renew() {
        set(KeyHash.secrets(new SecureRandom()));
    }

    /** Puts what makes them. */
    public void save(ByteBuffer to) {
        to.putLong(s0).putLong(s1).putLong(s2).putLong(s3);
    }

    /** Takes what was saved; false if it can't be that, and nothing has changed. */
    public boolean restore(ByteBuffer from) {
        if (from.remaining() < SAVED_BYTES) {
            return false;
        }
        long[] secrets = new long[SECRETS];
        for (int i = 0; i < SECRETS; i++) {
            secrets[i] = from.getLong();
            if (!KeyHash.isSecret(secrets[i])) {
                return false;
            }
        }
        set(secrets);
        return true;
    }
}
