package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.open.Problem;
import io.flexdb.internal.open.StoreFiles;
import io.flexdb.internal.tools.BackupDirectory.Entry;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The backups that are in a directory, as far as can be seen. Changes nothing. */
final class FoundBackups {
    private final Vfs vfs;
    private final Path directory;

    FoundBackups(Vfs vfs, Path directory) {
        this.vfs = vfs;
        this.directory = directory;
    }

    /** Whether the directory is one of backups. */
    boolean exists() {
        return vfs.exists(directory.resolve(DirectoryFile.NAME));
    }

    /** The file that makes it one. */
    DirectoryFile file() {
        return DirectoryFile.read(vfs, directory);
    }

    Path directoryOf(long id) {
        return directory.resolve(Long.toString(id));
    }

    Path manifestOf(long id) {
        return directoryOf(id).resolve(Manifest.NAME);
    }

    BackupProof proof(long id, DirectoryFile file) {
        return new BackupProof(vfs, directoryOf(id), id, file.storeId());
    }

    /** The numbers that something in the directory has as its name, be it ours or not. */
    TreeSet<Long> numbers() {
        TreeSet<Long> numbers = new TreeSet<>();
        for (String name : vfs.list(directory)) {
            if (name.matches("[1-9][0-9]{0,17}")) {
                numbers.add(Long.parseLong(name));
            }
        }
        return numbers;
    }

    /** The ids of all backups, ascending; also of damaged ones, as far as anything shows that they are one. */
    TreeSet<Long> ids() {
        TreeSet<Long> ids = new TreeSet<>();
        if (exists()) {
            DirectoryFile file = file();
            for (long id : numbers()) {
                if (mayBeBackup(id, file)) {
                    ids.add(id);
                }
            }
        }
        return ids;
    }

    /**
     * Whether something with a number as its name may be a backup. It need not be proved: a backup that is taken for
     * none would lose its segments.
     */
    private boolean mayBeBackup(long id, DirectoryFile file) {
        Path own = directoryOf(id);
        try {
            return vfs.isDirectory(own)
                    && vfs.exists(manifestOf(id))
                    && (proof(id, file).isThere()
                            || Manifest.beginsIn(vfs, manifestOf(id))
                            || vfs.isDirectory(own.resolve(StoreFiles.SPACE_NAME))
                                    && vfs.isDirectory(own.resolve(StoreFiles.WAL_NAME))
                                    && !vfs.exists(StoreFiles.optionsFile(own)));
        } catch (StoreIoException e) {
            return true; // nobody knows
        } finally {
            letGo(id);
        }
    }

    /** Keeps no descriptors for the directories of a backup, of which there may be many. */
    void letGo(long id) {
        vfs.letGo(directoryOf(id));
    }

    /** Throws if there is no such backup. */
    void requireBackup(long id) {
        TreeSet<Long> ids = ids();
        if (!ids.contains(id)) {
            throw new IllegalArgumentException("no backup " + id + " in " + directory + "; there are " + ids);
        }
    }

    /** The parts of a backup. */
    Manifest read(long id) {
        Manifest manifest = Manifest.read(vfs, manifestOf(id));
        long storeId = file().storeId();
        if (manifest.summary().id() != id || manifest.storeId() != storeId) {
            throw new CorruptionException(
                    manifestOf(id),
                    0,
                    "backup " + id + " of store " + Long.toHexString(storeId),
                    "backup " + manifest.summary().id() + " of store " + Long.toHexString(manifest.storeId()));
        }
        return manifest;
    }

    /** All backups, ascending, and what is wrong with each as far as that shows without reading more than manifests. */
    List<Entry> list(BackupSegments segments) {
        List<Entry> entries = new ArrayList<>();
        TreeSet<Long> ids = ids();
        Set<String> there = segments.names();
        for (long id : ids) {
            entries.add(entry(id, segments, there));
        }
        return entries;
    }

    private Entry entry(long id, BackupSegments segments, Set<String> segmentsThere) {
        Manifest manifest = null;
        try {
            manifest = read(id);
            for (Manifest.CopiedFile file : manifest.files()) {
                Path path = directoryOf(id).resolve(file.name());
                if (!vfs.exists(path)) {
                    return new Entry(id, manifest, new Problem(path, 0, null, "a file of the backup", "nothing"));
                }
            }
        } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
            return new Entry(id, manifest, Problem.of(e, manifestOf(id), null));
        } finally {
            letGo(id);
        }
        for (String name : manifest.segments()) {
            if (!segmentsThere.contains(name)) {
                return new Entry(id, manifest, new Problem(segments.path(name), 0, null, "a segment", "nothing"));
            }
        }
        return new Entry(id, manifest, null);
    }
}
