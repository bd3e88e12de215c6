package io.flexdb.files;

import java.util.List;

/**
 * The result of {@link FlexFileSystem#check}. It does not change, so any thread may read it.
 *
 * <p>Later releases may add figures. Only the library implements this interface.
 */
public sealed interface FlexFilesCheckReport permits FilesChecked {
    /** The number of directories, the root included. */
    long directories();

    /** The number of files, those included that were deleted while they are open. */
    long files();

    /** The number of symbolic links. */
    long links();

    /** The number of blocks of files. */
    long blocks();

    /** Bytes of all files together, by their lengths. */
    long bytes();

    /** The faults found, a line each and a thousand at most; empty if all is well. The list can't be changed. */
    List<String> problems();

    /** Whether nothing is wrong. */
    default boolean isSound() {
        return problems().isEmpty();
    }
}
