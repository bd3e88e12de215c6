package io.flexdb.storage;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A value can't be told, since the merge function fails for what was merged into it: it throws, or returns null or too
 * long a value; or there is no merge function. This is a matter of the key alone, which {@link #key()} has. Nothing is
 * lost: with a function that does not fail the key has its value. To put or delete the key ends it.
 */
public final class MergeException extends StorageException {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN_BYTES = 32;

    private final byte[] key;

    /**
     * @param key what was merged into
     * @param message what happened
     * @param cause what the function threw, or null
     */
    public MergeException(byte[] key, String message, @Nullable Throwable cause) {
        super(
                "key 0x" + shown(key) + ": " + message
                        + "; open the store with a merge function that can, or put or delete the key",
                cause);
        this.key = key.clone();
    }

    private static String shown(byte[] key) {
        String more = key.length > SHOWN_BYTES ? "... (" + key.length + " bytes)" : "";
        return HexFormat.of().formatHex(key, 0, Math.min(SHOWN_BYTES, key.length)) + more;
    }

    /** The key. */
    public byte[] key() {
        return key.clone();
    }
}
