package io.flexdb.storage;

/** A keyspace is not there: it was never made, or it was dropped. Nothing was changed. */
public final class NoSuchKeyspaceException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String name;

    /**
     * @param name of the keyspace
     * @param why it is not there, and what to do
     */
    public NoSuchKeyspaceException(String name, String why) {
        super("there is no keyspace \"" + name + "\": " + why);
        this.name = name;
    }

    /** The name of the keyspace. */
    public String name() {
        return name;
    }
}
