package io.flexdb.cli.foreign;

import java.nio.file.Path;

/** Opens stores of one engine. Each implementation has a public constructor without arguments. */
public interface ForeignDriver {
    /**
     * Opens a store to read it; changes nothing of it.
     *
     * @param source its file or directory
     * @param keyType the type of keys where the store does not tell
     * @param valueType the type of values where the store does not tell
     * @throws ForeignStoreException if it can't be opened
     */
    ForeignStore open(Path source, ForeignType keyType, ForeignType valueType);
}
