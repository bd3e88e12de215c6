package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.open.CopiedStoreFiles;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.file.Path;
import java.util.List;

/** The proof that a directory is that of a backup which we have made, so that it may be deleted. */
final class BackupProof {
    /*
     * The problem: the directory of a backup has a number as its name, and users have directories with such names, too:
     * days, copies, other stores. A directory that is deleted by mistake is lost.
     * The choice: nothing is deleted for its name, or for what it lacks. The first file in the directory of a backup
     * says which backup of which store it is; it is durable before anything else is in there, and goes last. If it is
     * damaged or missing, the manifest serves as proof, and is renamed when the backup is to be deleted. Only files
     * with our names are deleted, and none through a symbolic link.
     */
    static final String NAME = "flexdb.backup";
    private static final String DELETED_MANIFEST = Manifest.NAME + ".deleted";
    private static final String TITLE = "The directory of a backup of a FlexDB store.";

    private final Vfs vfs;
    private final Path directory; // of the backup
    private final long id;
    private final long storeId;

    BackupProof(Vfs vfs, Path directory, long id, long storeId) {
        this.vfs = vfs;
        this.directory = directory;
        this.id = id;
        this.storeId = storeId;
    }

    long id() {
        return id;
    }

    Path directory() {
        return directory;
    }

    /** Writes the proof, durably, but for the name of the directory. */
    void write() {
        CheckedText.write(vfs, directory.resolve(NAME), TITLE, lines());
    }

    private List<String> lines() {
        return List.of("backup = " + id, "store = " + Long.toHexString(storeId));
    }

    /** Whether the file is there, and says so. */
    boolean isWritten() {
        return vfs.isPlainDirectory(directory) && vfs.isPlainFile(directory.resolve(NAME)) && saysSo();
    }

    private boolean saysSo() {
        try {
            return CheckedText.read(vfs, directory.resolve(NAME)).equals(lines());
        } catch (CorruptionException | UnsupportedFormatException e) {
            return false;
        }
    }

    /** Whether a file of that name is there, and does not say so. */
    boolean isDamaged() {
        return vfs.exists(directory.resolve(NAME)) && !saysSo();
    }

    /** Whether it is certain that the directory is that of this backup. */
    boolean isThere() {
        return isWritten() || isManifestOurs(Manifest.NAME) || isManifestOurs(DELETED_MANIFEST);
    }

    private boolean isManifestOurs(String name) {
        Path path = directory.resolve(name);
        return vfs.isPlainDirectory(directory) && vfs.isPlainFile(path) && Manifest.beginsIn(vfs, path, id, storeId);
    }

    /** Whether the directory is that of a backup which was not finished, or is being deleted. */
    boolean isOfUnfinished() {
        return isThere() && !vfs.exists(directory.resolve(Manifest.NAME));
    }

    /** Makes a backup none any more, durably. The rest of it is still proved to be ours. */
    void deleteManifest() {
        Path manifest = directory.resolve(Manifest.NAME);
        if (isWritten()) {
            vfs.delete(manifest);
        } else {
            vfs.rename(manifest, directory.resolve(DELETED_MANIFEST));
        }
        vfs.syncDirectory(directory);
    }

    /**
     * Deletes what we have made in a directory that is proved to be ours, the proof last, and the directory if nothing
     * else is in it.
     *
     * @return whether nothing is left
     */
    boolean deleteFiles() {
        CopiedStoreFiles.deleteAll(vfs, directory);
        CopiedStoreFiles.deleteFile(vfs, directory.resolve(Manifest.NAME + CheckedText.UNFINISHED));
        vfs.syncDirectory(directory); // a backup that is not deleted must not lose its proof
        CopiedStoreFiles.deleteFile(vfs, directory.resolve(DELETED_MANIFEST));
        CopiedStoreFiles.deleteFile(vfs, directory.resolve(NAME));
        return deleteIfBegun();
    }

    /** Deletes a directory in which nothing is, or nothing but a proof that was being written. */
    boolean deleteIfBegun() {
        String unfinished = NAME + CheckedText.UNFINISHED;
        if (vfs.isPlainDirectory(directory) && List.of(unfinished).containsAll(vfs.list(directory))) {
            CopiedStoreFiles.deleteFile(vfs, directory.resolve(unfinished));
            vfs.delete(directory);
            return true;
        }
        return false;
    }
}
