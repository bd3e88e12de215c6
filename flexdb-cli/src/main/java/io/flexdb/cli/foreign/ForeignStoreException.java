package io.flexdb.cli.foreign;

/** A store of another engine can't be read. */
public final class ForeignStoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why. */
    public enum Reason {
        /** It is missing, none of this engine, in use, or needs what is not there. */
        CANNOT_OPEN,
        /** It is damaged. */
        DAMAGED,
        /** It has something that has no form in a store of ours. */
        NOT_SUPPORTED
    }

    /**
     * Makes one.
     *
     * @param message for the user, with the path
     * @param cause or null
     */
    public ForeignStoreException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Why it can't be read. */
    public Reason reason() {
        return reason;
    }
}
