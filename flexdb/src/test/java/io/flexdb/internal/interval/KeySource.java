package io.flexdb.internal.interval;

import java.util.Locale;
import java.util.Random;

/** Random keys of several kinds, each kind hard on something else. */
enum KeySource {
    /** A shared stem of nine bytes and more, so that eight bytes alone do not tell keys apart. */
    NUMBERED {
        @Override
        byte[] next(Random random) {
            return String.format(Locale.ROOT, "user%020d", (long) random.nextInt(100_000) * random.nextInt(1000))
                    .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        }
    },
    /** Few different bytes, zero among them: keys that are prefixes of others, and windows that tie. */
    TANGLED {
        @Override
        byte[] next(Random random) {
            byte[] key = new byte[random.nextInt(20)];
            for (int i = 0; i < key.length; i++) {
                key[i] = (byte) (random.nextInt(8) == 0 ? 1 + random.nextInt(2) : 0);
            }
            return key;
        }
    },
    /** All bytes, the negative ones included, and all lengths up to 40. */
    UNIFORM {
        @Override
        byte[] next(Random random) {
            byte[] key = new byte[random.nextInt(41)];
            random.nextBytes(key);
            return key;
        }
    },
    /** Long keys, some as long as can be, that differ late. */
    LONG {
        @Override
        byte[] next(Random random) {
            byte[] key = new byte[random.nextInt(20) == 0 ? KeyArena.MAX_KEY_BYTES : 900 + random.nextInt(200)];
            key[random.nextInt(900)] = (byte) random.nextInt(3);
            key[899] = (byte) random.nextInt(256);
            key[key.length - 1] = (byte) random.nextInt(256);
            return key;
        }
    };

    abstract byte[] next(Random random);
}
