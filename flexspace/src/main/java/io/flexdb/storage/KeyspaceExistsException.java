package io.flexdb.storage;

/** A keyspace that was to be made is there already. Nothing was changed. */
public final class KeyspaceExistsException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final String name;

    /** @param name of the keyspace */
    public KeyspaceExistsException(String name) {
        super("there is a keyspace \"" + name + "\" already; get it by keyspace(name), or drop it first");
        this.name = name;
    }

    /** The name of the keyspace. */
    public String name() {
        return name;
    }
}
