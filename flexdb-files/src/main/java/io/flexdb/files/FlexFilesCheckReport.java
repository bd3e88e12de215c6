package io.flexdb.files;

import java.util.List;

/**
 * What {@link FlexFileSystem#check} has found.
 *
 * @param directories that there are, the root included
 * @param files that there are, those included that were deleted while they are open
 * @param links symbolic links
 * @param blocks of files
 * @param bytes of all files together, by their lengths
 * @param problems what is wrong, a line each and a thousand at most; empty if all is well
 */
public record FlexFilesCheckReport(
        long directories, long files, long links, long blocks, long bytes, List<String> problems) {
    /** Whether nothing is wrong. */
    public boolean isSound() {
        return problems.isEmpty();
    }
}
