package io.flexdb.jmh.flexspace;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.jmh.flexdb.KeyValue;
import java.io.IOException;
import java.nio.file.Path;

/**
 * One of those compared: FlexSpace, or plain files of a file system.
 *
 * @param name as in the tables
 * @param directory where its files go, under a name of their own
 * @param cacheBytes in which FlexSpace keeps what it has read
 * @param logBytes after which FlexSpace begins a checkpoint; 0 for its default
 */
record Subject(String name, Path directory, long cacheBytes, long logBytes) {
    /** The name of ours. */
    static final String FLEXSPACE = "FlexSpace";

    private static final String FILES_NAME = "flexdb-table2";

    /** One with the default options. */
    Subject(String name, Path directory) {
        this(name, directory, 0, 0);
    }

    /** Those of FlexSpace. */
    FlexSpaceOptions options() {
        FlexSpaceOptions options = FlexSpaceOptions.defaults().withCacheBytes(cacheBytes);
        return logBytes == 0 ? options : options.withCheckpointLogBytes(logBytes);
    }

    boolean isFlexSpace() {
        return name.equals(FLEXSPACE);
    }

    /** Where the files go. */
    Path files() {
        return directory.resolve(FILES_NAME);
    }

    /** A new, empty address space. */
    AddressSpace create(FileAddressSpace.Insertion insertion, boolean barrierIsCheckpoint) throws IOException {
        remove();
        if (isFlexSpace()) {
            return new FlexAddressSpace(files(), options(), barrierIsCheckpoint);
        }
        return new FileAddressSpace(files(), insertion);
    }

    /** Removes what was created, or left by a run that was killed. */
    void remove() throws IOException {
        KeyValue.remove(files());
    }
}
