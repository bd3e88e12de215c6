package io.flexdb.internal.base;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The heads of one keyspace: prefixes that give its keys their place in the one order of a store. Immutable.
 *
 * <pre>
 * KEYSPACE      KEY BEGINS WITH  HEAD
 * the default   0x00 to 0xFE     none
 * the default   0xFF             0xFF 0x00
 * a named one   any byte         0xFF 0x01, then its number
 * </pre>
 *
 * A number below 240 is one byte. Any other has a byte from 240 on that tells how many bytes follow, 240 for one, and
 * these, the most significant first. The keyspace with the number 0 is the directory of the others.
 */
public final class KeyHeads {
    private static final int SHOWN_BYTES = 32; // of a key
    /*
     * A store without named keyspaces, and without keys that begin with 0xFF, stores its keys as they are. The default
     * keyspace is one range, which ends at 0xFF 0x01. No number's bytes begin those of another: each named keyspace is
     * one range, too.
     *
     * H1  A head keeps the order of the keys of its keyspace.
     * H2  A key with the head of one keyspace lies within begin and end of that one, and of no other.
     */
    /** A key as it is. */
    public static final byte[] NO_HEAD = {};

    /** The longest head. */
    public static final int MAX_HEAD_BYTES = 7;

    /** The highest number of a keyspace. */
    public static final int MAX_NUMBER = Integer.MAX_VALUE;

    private static final int NOT_NAMED = -1;

    /** Everything in the store, as it is stored. */
    public static final KeyHeads RAW = new KeyHeads(NO_HEAD, NO_HEAD, null, null, NOT_NAMED);

    private static final byte ESCAPE = (byte) 0xFF;
    private static final byte[] BEHIND_DEFAULT = {ESCAPE, 1};

    /** Behind all keys that are stored. */
    public static final byte[] LAST = {ESCAPE, 2};

    private static final int ONE_BYTE_NUMBERS = 240;

    /** The default keyspace. */
    public static final KeyHeads DEFAULT =
            new KeyHeads(NO_HEAD, new byte[] {ESCAPE, 0}, null, BEHIND_DEFAULT, NOT_NAMED);

    /** The directory of named keyspaces. */
    public static final KeyHeads DIRECTORY = named(0);

    private final byte[] usual;
    private final byte[] escaped; // of keys that begin with ESCAPE
    private final byte[] begin;
    private final byte[] end;
    private final int number;

    private KeyHeads(byte[] usual, byte[] escaped, byte[] begin, byte[] end, int number) {
        this.usual = usual;
        this.escaped = escaped;
        this.begin = begin;
        this.end = end;
        this.number = number;
    }

    /** Those of a named keyspace, by its number, from 0 on. */
    public static KeyHeads named(int number) {
        int more = 0; // bytes
        if (number >= ONE_BYTE_NUMBERS) {
            more = (Integer.SIZE - Integer.numberOfLeadingZeros(number) + 7) / 8;
        }
        byte[] head = Arrays.copyOf(BEHIND_DEFAULT, BEHIND_DEFAULT.length + 1 + more);
        head[BEHIND_DEFAULT.length] = (byte) (more == 0 ? number : ONE_BYTE_NUMBERS - 1 + more);
        for (int i = 0; i < more; i++) {
            head[head.length - 1 - i] = (byte) (number >>> 8 * i);
        }
        return new KeyHeads(head, head, head, behind(head), number);
    }

    /** The first key behind all that begin with a prefix; null if there is none. */
    public static byte[] behind(byte[] prefix) {
        int length = prefix.length;
        while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
            length--;
        }
        if (length == 0) {
            return null;
        }
        byte[] behind = Arrays.copyOf(prefix, length);
        behind[length - 1]++;
        return behind;
    }

    /** The head of a key by its first byte; nobody may change the array. */
    private byte[] of(byte first) {
        return first == ESCAPE ? escaped : usual;
    }

    /** The head of a key, which may be empty; nobody may change the array. */
    public byte[] of(byte[] key) {
        return key.length == 0 ? usual : of(key[0]);
    }

    /** The head of the key that a buffer has between position and limit; nobody may change the array. */
    public byte[] of(ByteBuffer key) {
        return key.hasRemaining() ? of(key.get(key.position())) : usual;
    }

    /** Bytes of the head of a key that is stored, by its first byte. */
    public int bytesOf(byte firstStored) {
        return of(firstStored).length; // with a head it is ESCAPE
    }

    /** A stored key as its user knows it, for a message: its first bytes in hexadecimal. */
    public static String shown(byte[] stored) {
        byte[] key = withoutHead(stored);
        String more = key.length > SHOWN_BYTES ? "... (" + key.length + " bytes)" : "";
        return "0x" + HexFormat.of().formatHex(key, 0, Math.min(SHOWN_BYTES, key.length)) + more;
    }

    /** The key of whichever keyspace that is stored so: the array itself if it has no head. */
    public static byte[] withoutHead(byte[] stored) {
        int head = headBytes(stored);
        return head == 0 ? stored : Arrays.copyOfRange(stored, head, stored.length);
    }

    /** Bytes of the head of a key that is stored, of whichever keyspace. */
    public static int headBytes(byte[] stored) {
        return headBytes(stored, 0, stored.length);
    }

    /** Bytes of the head of a stored key that is in an array from an index on. */
    public static int headBytes(byte[] from, int index, int length) {
        if (length < BEHIND_DEFAULT.length || from[index] != ESCAPE) {
            return 0;
        }
        int number = BEHIND_DEFAULT.length;
        return isNamed(from, index, length)
                ? number + 1 + Math.max(0, (from[index + number] & 0xFF) - ONE_BYTE_NUMBERS + 1)
                : number;
    }

    /** Whether a key that is stored is one of a named keyspace. */
    public static boolean isNamed(byte[] stored) {
        return isNamed(stored, 0, stored.length);
    }

    private static boolean isNamed(byte[] from, int index, int length) {
        return length > BEHIND_DEFAULT.length && from[index] == ESCAPE && from[index + 1] == BEHIND_DEFAULT[1];
    }

    /** The number of the named keyspace that a key that is stored is of; -1 if it is of none. */
    public static int numberOf(byte[] stored) {
        return numberOf(stored, 0, stored.length);
    }

    /** The number of the named keyspace that a stored key in an array is of; -1 if it is of none. */
    public static int numberOf(byte[] from, int index, int length) {
        int head = headBytes(from, index, length);
        if (!isNamed(from, index, length) || head > MAX_HEAD_BYTES || length < head) {
            return NOT_NAMED;
        }
        int first = BEHIND_DEFAULT.length;
        int number = head == first + 1 ? from[index + first] & 0xFF : 0;
        for (int i = first + 1; i < head; i++) {
            number = number << Byte.SIZE | from[index + i] & 0xFF;
        }
        return number;
    }

    /** Whether a stored key that is in an array is one of the directory of named keyspaces. */
    public static boolean isOfDirectory(byte[] from, int index, int length) {
        return isNamed(from, index, length) && from[index + BEHIND_DEFAULT.length] == 0;
    }

    /** The number of the named keyspace; -1 for the default one, and for all together. */
    public int number() {
        return number;
    }

    /** A key as it is stored: itself if it has no head. */
    public byte[] stored(byte[] key) {
        byte[] head = of(key);
        if (head.length == 0) {
            return key;
        }
        byte[] stored = new byte[head.length + key.length];
        copy(head, key, stored, 0);
        return stored;
    }

    /** A copy of the key between position and limit as it is stored. The position stays. */
    public byte[] stored(ByteBuffer key) {
        byte[] head = of(key);
        byte[] stored = new byte[head.length + key.remaining()];
        copy(head, key, stored, 0);
        return stored;
    }

    /** Copies head and key to an array, and returns the index behind them. */
    public int copy(byte[] head, byte[] key, byte[] to, int at) {
        System.arraycopy(head, 0, to, at, head.length);
        System.arraycopy(key, 0, to, at + head.length, key.length);
        return requireHead(head, key.length, to, at);
    }

    /** Copies head and key, which is between position and limit, to an array; the position stays. */
    public int copy(byte[] head, ByteBuffer key, byte[] to, int at) {
        int length = key.remaining();
        System.arraycopy(head, 0, to, at, head.length);
        key.get(key.position(), to, at + head.length, length);
        return requireHead(head, length, to, at);
    }

    /** A thread that changes a key while it is copied must not reach another keyspace by that. */
    private int requireHead(byte[] head, int keyLength, byte[] to, int at) {
        int keyAt = at + head.length;
        if (keyLength > 0 && of(to[keyAt]) != head) {
            throw new IllegalArgumentException("the key was changed by another thread while it was read");
        }
        return keyAt + keyLength;
    }

    /** The first key of the keyspace that would be stored from a place on; null if there is none. */
    public byte[] firstKeyFrom(byte[] stored) {
        if (begin != null && Arrays.compareUnsigned(stored, begin) <= 0) {
            return NO_HEAD;
        }
        if (end != null && Arrays.compareUnsigned(stored, end) >= 0) {
            return null;
        }
        if (usual.length > 0) {
            return Arrays.copyOfRange(stored, usual.length, stored.length);
        }
        if (stored.length == 0 || stored[0] != ESCAPE || escaped.length == 0) {
            return stored;
        }
        byte[] first = {ESCAPE};
        byte[] key = stored.length > escaped.length ? Arrays.copyOfRange(stored, escaped.length, stored.length) : first;
        return Arrays.compareUnsigned(key, first) < 0 ? first : key;
    }

    /** No key of the keyspace is stored below this one; null for the first of all. */
    public byte[] begin() {
        return begin;
    }

    /** No key of the keyspace is stored from this one on; null if there is no end. */
    public byte[] end() {
        return end;
    }

    /** Whether a bound is the end of the default keyspace, which is all of a store without named keyspaces. */
    public static boolean isBehindDefault(byte[] storedBound) {
        return Arrays.equals(storedBound, BEHIND_DEFAULT);
    }
}
