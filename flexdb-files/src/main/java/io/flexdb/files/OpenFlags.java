package io.flexdb.files;

import io.flexdb.Durability;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;

/**
 * What a file is opened for.
 *
 * @param atLeast of each write, or null for the store's
 */
record OpenFlags(
        boolean read,
        boolean write,
        boolean append,
        boolean create,
        boolean createNew,
        boolean truncate,
        boolean deleteOnClose,
        boolean follow,
        Durability atLeast) {

    static OpenFlags of(Set<? extends OpenOption> options) {
        for (OpenOption option : options) {
            Objects.requireNonNull(option, "option");
            if (!(option instanceof StandardOpenOption) && option != LinkOption.NOFOLLOW_LINKS) {
                throw new UnsupportedOperationException("there is no such option: " + option);
            }
        }
        boolean append = options.contains(StandardOpenOption.APPEND);
        boolean write = append || options.contains(StandardOpenOption.WRITE);
        boolean read = options.contains(StandardOpenOption.READ) || !write;
        boolean truncate = options.contains(StandardOpenOption.TRUNCATE_EXISTING);
        if (append && (truncate || read)) {
            throw new IllegalArgumentException("APPEND goes with neither READ nor TRUNCATE_EXISTING: " + options);
        }
        boolean delete = options.contains(StandardOpenOption.DELETE_ON_CLOSE);
        boolean sync = options.contains(StandardOpenOption.SYNC) || options.contains(StandardOpenOption.DSYNC);
        return new OpenFlags(
                read,
                write,
                append,
                write && options.contains(StandardOpenOption.CREATE),
                write && options.contains(StandardOpenOption.CREATE_NEW),
                write && truncate,
                delete,
                !delete && !options.contains(LinkOption.NOFOLLOW_LINKS), // as kernels are asked: a link is not followed
                sync ? Durability.SYNC : null);
    }
}
