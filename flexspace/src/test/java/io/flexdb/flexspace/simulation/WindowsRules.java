package io.flexdb.flexspace.simulation;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Operations that NTFS and the Windows API refuse and POSIX allows, as programs of the JDK meet them: its channels
 * share a file for deletion, its {@code RandomAccessFile} does not. Simulated files follow these rules in a JVM with
 * {@code -Dflexdb.test.files=windows}, so that all tests on such files can be run by them.
 */
final class WindowsRules {
    /*
     * W1  Names that differ in case alone are the same, and some characters and names can't be used.
     * W2  No file takes the place of one that is open.
     * W3  A directory is not renamed while a file in it is open.
     * W4  A lock file is neither renamed nor deleted while the lock is held.
     *
     * A mapped file can't be deleted, either; but no file of a store is mapped there, as in the simulation. A file that
     * is open and not mapped can be deleted, and its name is free at once, from Windows 10 1809 on.
     */
    static final boolean APPLY = "windows".equals(System.getProperty("flexdb.test.files"));

    static final Comparator<String> ORDER_OF_NAMES = APPLY ? String.CASE_INSENSITIVE_ORDER : Comparator.naturalOrder();

    private static final Pattern BAD_NAME =
            Pattern.compile("(?i)(con|prn|aux|nul|(com|lpt)[0-9])(\\..*)?|.*[<>:\"/\\\\|?*\\x00-\\x1f].*|.*[. ]");

    private WindowsRules() {}

    /** W1. */
    static void requireGoodName(String name) throws IOException {
        if (APPLY && BAD_NAME.matcher(name).matches()) {
            throw new IOException("The filename, directory name, or volume label syntax is incorrect: " + name);
        }
    }

    /** W2 and W3. */
    static void requireRenamable(SimulatedNames.Node node, SimulatedNames.Node replaced) throws IOException {
        if (APPLY && replaced != null && replaced.openings > 0) {
            throw new AccessDeniedException(replaced.path + " is open");
        }
        if (APPLY && node.isDirectory() && hasOpenFile(node)) {
            throw new AccessDeniedException(node.path + " has a file that is open");
        }
    }

    private static boolean hasOpenFile(SimulatedNames.Node node) {
        return node.openings > 0 || node.now.values().stream().anyMatch(WindowsRules::hasOpenFile);
    }

    /** W4. */
    static void requireNoLock(Set<Path> locks, Path... paths) throws IOException {
        if (!APPLY) {
            return;
        }
        for (Path path : paths) {
            String name = SimulatedNames.normal(path).toString().toLowerCase(Locale.ROOT);
            for (Path lock : locks) {
                if (lock.toString().toLowerCase(Locale.ROOT).equals(name)) {
                    throw new AccessDeniedException(path + " is locked");
                }
            }
        }
    }
}
