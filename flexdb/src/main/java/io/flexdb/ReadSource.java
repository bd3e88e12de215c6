package io.flexdb;

import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.base.Operations;
import io.flexdb.internal.read.StoreReader;
import java.nio.file.Path;

/** What a view reads from. */
interface ReadSource {
    /** What reads the newest that there is. */
    StoreReader reader();

    /** The file that is named if what is read makes no sense. */
    Path dataFile();

    /** The files beside the store's. */
    Vfs vfs();

    /** Counts what is read. */
    Operations operations();

    /** The id of the store. */
    long storeId();

    /** What reads a snapshot that was taken of this; throws if it was not. */
    StoreReader reader(Snapshot snapshot);
}
