package io.flexdb.typed;

import io.flexdb.storage.StorageException;

/**
 * A stored key or value is none that the codec of the keyspace makes. It was written by another codec, or through
 * {@link io.flexdb.Keyspace} without one; the bytes are as they were written. The message names the keyspace, the codec,
 * the key in hexadecimal, and what was expected and found. Nothing was changed.
 */
public final class DecodeException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String keyspace;
    private final String codec;
    private final byte[] key;

    DecodeException(String keyspace, String codec, byte[] key, RuntimeException cause) {
        super(
                "keyspace " + PairCodec.shownName(keyspace) + ", key " + ByteForms.hex(key) + ": codec " + codec
                        + " can't decode the key: " + reason(cause),
                cause);
        this.keyspace = keyspace;
        this.codec = codec;
        this.key = key.clone();
    }

    DecodeException(String keyspace, String codec, byte[] key, byte[] value, RuntimeException cause) {
        super(
                "keyspace " + PairCodec.shownName(keyspace) + ", key " + ByteForms.hex(key) + ": codec " + codec
                        + " can't decode the value " + ByteForms.hex(value) + ": " + reason(cause),
                cause);
        this.keyspace = keyspace;
        this.codec = codec;
        this.key = key.clone();
    }

    private static String reason(RuntimeException cause) {
        String found = cause instanceof IllegalArgumentException ? cause.getMessage() : cause.toString();
        return found + "; open the keyspace with the codecs that wrote the pair, or delete it by io.flexdb.Keyspace";
    }

    /** The name of the keyspace; empty for the default one. */
    public String keyspace() {
        return keyspace;
    }

    /** The name of the codec. */
    public String codec() {
        return codec;
    }

    /** A copy of the key as it is stored. */
    public byte[] key() {
        return key.clone();
    }
}
