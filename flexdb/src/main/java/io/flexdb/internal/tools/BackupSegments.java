package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.copy.CopiedSegment;
import io.flexdb.flexspace.internal.copy.SegmentCopier;
import io.flexdb.flexspace.internal.copy.SegmentTarget;
import io.flexdb.flexspace.internal.copy.SpaceCopy;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.open.DataFileTarget;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;

/** The segments in a directory of backups, which these share. */
final class BackupSegments {
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final String NAME = "segments";

    private final Vfs vfs;
    private final Path directory;
    private final boolean byContent;

    /** @param byContent whether all bytes of a segment are read before it is shared, or only its length and footer */
    BackupSegments(Vfs vfs, Path backups, boolean byContent) {
        this.vfs = vfs;
        this.directory = backups.resolve(NAME);
        this.byContent = byContent;
    }

    /** Makes the directory if it is missing. */
    void create() {
        SpaceEngine.createDirectory(vfs, directory);
    }

    Path path(String name) {
        return directory.resolve(name);
    }

    /** The names of those that are there. */
    Set<String> names() {
        return vfs.isDirectory(directory) ? Set.copyOf(vfs.list(directory)) : Set.of();
    }

    /**
     * Deletes those that no backup has, and unfinished ones. Files without a name of ours stay.
     *
     * @param used by backups
     * @param all whether that is known of every backup; if not, only unfinished ones go (B4)
     */
    void deleteUnused(Set<String> used, boolean all) {
        if (!vfs.isPlainDirectory(directory)) {
            if (vfs.isDirectory(directory)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "No segment of backups is deleted, as " + directory + " is a symbolic link");
            }
            return;
        }
        for (String name : vfs.list(directory)) {
            boolean unfinished = name.endsWith(CheckedText.UNFINISHED);
            String whole = unfinished ? name.substring(0, name.length() - CheckedText.UNFINISHED.length()) : name;
            if (SegmentName.parse(whole) != null
                    && !used.contains(name)
                    && (all || unfinished)
                    && vfs.isPlainFile(path(name))) {
                vfs.delete(path(name));
            }
        }
    }

    /**
     * Begins to take the segments of a copy.
     *
     * @param shared those that other backups have
     */
    NewSegments begin(Set<String> shared, SpaceCopy space) {
        return new NewSegments(shared, space);
    }

    /** Takes the segments that no backup has yet. */
    final class NewSegments implements SegmentTarget, AutoCloseable {
        private final Set<String> shared;
        private final SpaceCopy space;
        private final Reader reader;
        private final List<String> names = new ArrayList<>();
        private long newBytes;
        private VfsFile file; // the one that is being written, or null
        private Path path; // its name once it is whole

        private NewSegments(Set<String> shared, SpaceCopy space) {
            this.shared = shared;
            this.space = space;
            this.reader = new Reader(space.format(), space.storeId(), bytes -> {});
        }

        /** The names of all segments of the copy. */
        List<String> names() {
            return names;
        }

        /** Bytes that were not shared. */
        long newBytes() {
            return newBytes;
        }

        @Override
        public VfsFile begin(CopiedSegment segment) {
            SegmentName name = SegmentName.of(segment, space.storeId());
            names.add(name.toString());
            if (shared.contains(name.toString()) && isSound(name)) {
                return null;
            }
            newBytes += segment.bytes(space.format());
            path = path(name.toString());
            // A file of this name may be there, of a backup that can't be read, or damaged: it stays until there is
            // another.
            Path unfinished = unfinished();
            vfs.deleteIfExists(unfinished);
            file = vfs.open(unfinished, OpenMode.CREATE);
            return file;
        }

        /** A segment that is not as its name says is copied once more, which mends all backups that share it. */
        private boolean isSound(SegmentName name) {
            try {
                reader.check(name);
                return true;
            } catch (CorruptionException | StoreIoException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "A segment that backups share is damaged or missing, and is copied from the store once more: "
                                + path(name.toString()),
                        e);
                return false;
            }
        }

        private Path unfinished() {
            return path.resolveSibling(path.getFileName() + CheckedText.UNFINISHED);
        }

        @Override
        public long position(CopiedSegment segment) {
            return 0;
        }

        @Override
        public void end(CopiedSegment segment) {
            file.force();
            close();
            vfs.rename(unfinished(), path);
        }

        /** Makes the names of those durable that were written. */
        void sync() {
            vfs.syncDirectory(directory);
        }

        @Override
        public boolean verifies() {
            return true;
        }

        @Override
        public void close() {
            VfsFile open = file;
            file = null;
            if (open != null) {
                open.close();
            }
        }
    }

    /** Reads segments. For one thread. */
    final class Reader {
        private final SegmentFormat format;
        private final long storeId;
        private final SegmentCopier copier;

        /** @param step is told of bytes that were read */
        Reader(SegmentFormat format, long storeId, IntConsumer step) {
            this.format = format;
            this.storeId = storeId;
            this.copier = new SegmentCopier(format, step);
        }

        /**
         * Checks a segment as is done before it is shared: all of it, or else its length, and if it has a footer, that
         * this has the checksums which the name tells.
         *
         * @throws CorruptionException if it is damaged
         */
        void check(SegmentName name) {
            if (byContent || !name.sealed()) {
                read(name, null);
            } else {
                checkFooter(name);
            }
        }

        private void checkFooter(SegmentName name) {
            requireFrames(name);
            try (VfsFile file = vfs.open(path(name.toString()), OpenMode.READ)) {
                requireLength(name, file);
                ByteBuffer footer = ByteBuffer.allocate(format.footerBytes).order(ByteOrder.LITTLE_ENDIAN);
                file.readFully(footer, format.dataBytes);
                int[] sums = format.footerSums(name.number(), name.generation(), footer, 0);
                if (sums == null || !name.isOf(sums, storeId)) {
                    throw new CorruptionException(
                            file.path(), format.dataBytes, "a footer with the digest " + name.digest(), "another");
                }
            }
        }

        /** Verifies all of a segment, and copies it if there is somewhere to copy it to. */
        void read(SegmentName name, DataFileTarget target) {
            requireFrames(name);
            try (VfsFile file = vfs.open(path(name.toString()), OpenMode.READ)) {
                requireLength(name, file);
                int[] sums = copier.checksums(name.with(new int[name.frames()]), file, 0);
                if (!name.isOf(sums, storeId)) {
                    throw new CorruptionException(file.path(), 0, "frames with the digest " + name.digest(), "others");
                }
                if (target != null) {
                    CopiedSegment segment = name.with(sums);
                    copier.copy(segment, file, 0, target.begin(segment), target.position(segment), true);
                    target.end(segment);
                }
            }
        }

        private void requireFrames(SegmentName name) {
            if (name.frames() > format.dataFrames || name.sealed() && name.frames() < format.dataFrames) {
                throw new CorruptionException(
                        path(name.toString()), 0, format.dataFrames + " frames of a segment", name.toString());
            }
        }

        private void requireLength(SegmentName name, VfsFile file) {
            long expected = name.sealed() ? format.segmentBytes : (long) name.frames() << format.frameShift;
            long found = file.size();
            if (found != expected) {
                throw new CorruptionException(
                        file.path(), Math.min(expected, found), expected + " bytes", found + " bytes");
            }
        }
    }
}
