package io.flexdb.internal.base;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The fingerprints of keys, by which directories and outlines of intervals lead to pairs: 8 bits each. Each store draws
 * its own secrets for them, so that nobody can choose keys that collide, and saves the secrets with them.
 */
public final class Fingerprints {
    /*
     * Bits of a memtable's hashes would not do: their secrets change with each process, and fingerprints are saved. To
     * hash a key twice for a lookup costs a few nanoseconds.
     */
    private static final int SHIFT = Long.SIZE - Byte.SIZE;
    private static final int SECRETS = 4;

    /** Bytes of the saved secrets. */
    public static final int SAVED_BYTES = SECRETS * Long.BYTES;

    private KeyHash.Secrets secrets;

    /** Draws new secrets. */
    public Fingerprints() {
        secrets = KeyHash.secrets(new SecureRandom());
    }

    /** The fingerprint of a key. */
    public byte of(byte[] key, int length) {
        return (byte) (KeyHash.hash(key, 0, length, secrets) >>> SHIFT);
    }

    /** The fingerprint of a key in a little-endian buffer. */
    public byte of(ByteBuffer buffer, int position, int length) {
        return (byte) (KeyHash.hash(buffer, position, length, secrets) >>> SHIFT);
    }

    /** Writes the secrets to a buffer. */
    public void save(ByteBuffer to) {
        to.putLong(secrets.s0()).putLong(secrets.s1()).putLong(secrets.s2()).putLong(secrets.s3());
    }

    /**
     * Takes saved secrets, before any fingerprint is asked for. Returns false, and changes nothing, if the bytes can't
     * be secrets.
     */
    public boolean restore(ByteBuffer from) {
        if (from.remaining() < SAVED_BYTES) {
            return false;
        }
        long[] words = new long[SECRETS];
        for (int i = 0; i < SECRETS; i++) {
            words[i] = from.getLong();
            if (!KeyHash.isSecret(words[i])) {
                return false;
            }
        }
        secrets = new KeyHash.Secrets(words[0], words[1], words[2], words[3]);
        return true;
    }
}
