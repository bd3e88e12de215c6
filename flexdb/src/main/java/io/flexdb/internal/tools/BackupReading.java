package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.open.Checkpoints.Progress;
import io.flexdb.internal.open.DataFileTarget;
import io.flexdb.internal.open.NewStoreDirectory;
import io.flexdb.internal.open.Problem;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads the files and segments that a manifest names, verifies them, and counts. For one thread. */
final class BackupReading {
    private final Vfs vfs;
    private final Path directory; // of the backup
    private final Manifest manifest;
    private final BackupSegments segments;
    private final Progress progress;
    private final long ofBytes;
    private final CopiedFiles files;
    private final BackupSegments.Reader reader;
    private long bytes;

    BackupReading(Vfs vfs, Path directory, Manifest manifest, BackupSegments segments, Progress progress) {
        this.vfs = vfs;
        this.directory = directory;
        this.manifest = manifest;
        this.segments = segments;
        this.progress = progress;
        this.ofBytes = manifest.bytes();
        this.files = new CopiedFiles(this::step);
        this.reader = segments.new Reader(manifest.format(), manifest.storeId(), this::step);
    }

    private void step(int more) {
        bytes += more;
        progress.done(bytes, Math.max(bytes, ofBytes));
    }

    /** Adds the problems of the files that the backup has for itself. */
    void verifyFiles(List<Problem> problems) {
        boolean sound = true;
        for (Manifest.CopiedFile file : manifest.files()) {
            try {
                files.copy(vfs, directory, file, null);
            } catch (CorruptionException | StoreIoException e) {
                problems.add(Problem.of(e, directory.resolve(file.name()), null));
                sound = false;
            }
        }
        try {
            if (sound) {
                CopiedFiles.requireWrites(vfs, directory, manifest);
            }
        } catch (CorruptionException | StoreIoException e) {
            problems.add(Problem.of(e, directory, null));
        }
    }

    /** Reads all segments, and adds their problems. */
    void verifySegments(List<Problem> problems) {
        for (String name : manifest.segments()) {
            try {
                reader.read(SegmentName.parse(name), null);
            } catch (CorruptionException | StoreIoException e) {
                problems.add(Problem.of(e, segments.path(name), null));
            }
        }
    }

    /**
     * Checks segments as before they are shared, and adds their problems.
     *
     * @param known segments that were checked for other backups, with what was found, or an empty list
     */
    void checkSegments(Map<String, List<Problem>> known, List<Problem> problems) {
        for (String name : manifest.segments()) {
            List<Problem> ofSegment = known.get(name);
            if (ofSegment == null) {
                ofSegment = new ArrayList<>();
                try {
                    reader.check(SegmentName.parse(name));
                } catch (CorruptionException | StoreIoException e) {
                    ofSegment.add(Problem.of(e, segments.path(name), null));
                }
                known.put(name, ofSegment);
            }
            problems.addAll(ofSegment);
        }
    }

    /** Makes a store of the backup. */
    void restore(Path to) {
        try (NewStoreDirectory target = NewStoreDirectory.begin(vfs, to)) {
            for (Manifest.CopiedFile file : manifest.files()) {
                files.copy(vfs, directory, file, target.space().getParent());
            }
            CopiedFiles.requireWrites(vfs, directory, manifest);
            try (DataFileTarget data = new DataFileTarget(vfs, target.space(), manifest.format(), manifest.storeId())) {
                for (String name : manifest.segments()) {
                    reader.read(SegmentName.parse(name), data);
                }
                data.force();
            }
            target.finish(manifest.storeId());
        }
    }
}
