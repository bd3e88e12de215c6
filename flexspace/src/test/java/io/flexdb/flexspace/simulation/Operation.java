package io.flexdb.flexspace.simulation;

import java.util.Locale;

/** The operations that are counted and can be made to fail. */
enum Operation {
    OPEN(false),
    CREATE(true),
    WRITE(true),
    ALLOCATE(true),
    TRUNCATE(false),
    FORCE(true),
    MKDIR(true),
    RENAME(true),
    LINK(true),
    DELETE(false),
    SYNC(false),
    LOCK(false);

    final boolean takesSpace;

    Operation(boolean takesSpace) {
        this.takesSpace = takesSpace;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
