package io.flexdb.cli;

import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/** The ways to print keys and values, one pair a line. */
enum PairFormat {
    /** Text with escapes; key and value with a tab between them. */
    TEXT {
        @Override
        String bytes(byte[] bytes) {
            return Text.escaped(bytes);
        }
    },

    /** Hexadecimal digits; key and value with a tab between them. */
    HEX {
        @Override
        String bytes(byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
    },

    /** A JSON object a line; what is not UTF-8 is in base64, in fields of another name. */
    JSON {
        @Override
        String bytes(byte[] bytes) {
            return "{" + field("value", bytes) + "}";
        }

        @Override
        String pair(byte[] key, byte[] value, Optional<Instant> expiry) {
            return "{" + field("key", key) + (value == null ? "" : "," + field("value", value))
                    + expiry.map(time -> ",\"expires\":\"" + time + "\"").orElse("") + "}";
        }
    };

    /** One value. */
    abstract String bytes(byte[] bytes);

    /** A pair, or a key alone if the value is null. */
    String pair(byte[] key, byte[] value, Optional<Instant> expiry) {
        return value == null ? bytes(key) : bytes(key) + "\t" + bytes(value);
    }

    private static String field(String name, byte[] bytes) {
        return Text.decoded(bytes)
                .map(text -> "\"" + name + "\":" + Json.string(text))
                .orElseGet(
                        () -> "\"" + name + "Base64\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"");
    }
}
