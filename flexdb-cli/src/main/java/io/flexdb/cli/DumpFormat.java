package io.flexdb.cli;

/**
 * The bytes of a dump; numbers are big-endian.
 *
 * <pre>
 * header   8  "FLEXDUMP"
 *          4  version, 1
 *          8  number of the dump, random
 * chunk    4  bytes of content, 1 to 65,536; 0 in the last chunk, with which the dump ends
 *          n  content
 *          4  CRC32C of the number of the dump, the number of the chunk (8 bytes, from 0), the length and the content
 * </pre>
 *
 * <p>The contents of all chunks, one behind the other, are records:
 *
 * <pre>
 * keyspace 1  'K'
 *          2  bytes of the name, 0 for the default keyspace
 *          n  name in UTF-8
 * pair     1  'P', of the keyspace before it, in ascending order of keys
 *          4  bytes of the key
 *          4  bytes of the value
 *          8  the time at which it expires, in milliseconds since 1970; the lowest number for never
 *          n  key, then value
 * end      1  'E'
 *          8  number of pairs
 * </pre>
 */
final class DumpFormat {
    static final byte[] MAGIC = {'F', 'L', 'E', 'X', 'D', 'U', 'M', 'P'};
    static final int VERSION = 1;
    static final int MAX_CHUNK_BYTES = 1 << 16;

    static final int KEYSPACE = 'K';
    static final int PAIR = 'P';
    static final int END = 'E';

    static final long NEVER = Long.MIN_VALUE;
    static final int MAX_NAME_BYTES = 255;
    static final int MAX_KEY_BYTES = 65_535;

    private DumpFormat() {}
}
