package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** Finds out which permission is lacking when the system denies something. */
final class AccessDenied {
    private AccessDenied() {}

    /** Tells a user who lacks which permission to what, and what to do; null if that is not the failure. */
    static String explain(Path path, IOException failure) {
        if (!(failure instanceof AccessDeniedException)) {
            return null;
        }
        Path absolute = path.toAbsolutePath();
        Path root = absolute.getRoot();
        if (root == null) {
            return null;
        }
        Path above = root;
        for (Path name : absolute) {
            if (Files.isDirectory(above) && !Files.isExecutable(above)) {
                return text("search", above);
            }
            above = above.resolve(name);
        }
        if (!Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
            return text("make files in", absolute.getParent());
        }
        if (!Files.isReadable(absolute)) {
            return text("read", absolute);
        }
        return text("write", Files.isWritable(absolute) ? absolute.getParent() : absolute);
    }

    private static String text(String permission, Path path) {
        return "the user " + System.getProperty("user.name") + " may not " + permission + " " + path + owner(path)
                + "; run as the owner, or have the owner grant it (FlexDBOptions.withReadableByGroup lets the group of a"
                + " store read it)";
    }

    private static String owner(Path path) {
        try {
            PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class);
            return ", which is " + found.owner() + ":" + found.group() + " "
                    + PosixFilePermissions.toString(found.permissions());
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }
}
