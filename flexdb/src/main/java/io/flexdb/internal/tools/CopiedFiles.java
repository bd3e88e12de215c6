package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.engine.FoundTag;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.Zeros;
import io.flexdb.internal.log.WalReader;
import io.flexdb.internal.open.StoreFiles;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.zip.CRC32C;

/** Copies and verifies whole files. For one thread. */
final class CopiedFiles {
    private static final int PIECE_BYTES = 1 << 20;

    private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
    private final CRC32C crc = new CRC32C();
    private final IntConsumer read;
    private long usedBytes;

    /** @param read is told of the bytes of each piece */
    CopiedFiles(IntConsumer read) {
        this.read = read;
    }

    /** Bytes read, apart from pieces of zeros, of which a log may have many. */
    long usedBytes() {
        return usedBytes;
    }

    /**
     * Goes through the logs of a backup, as the opening of a store that is restored from it will.
     *
     * @throws CorruptionException if the space and the logs lack a write that the manifest says the backup has
     */
    static void requireWrites(Vfs vfs, Path directory, Manifest manifest) {
        TreeMap<Long, Path> logs = new TreeMap<>(); // by their first number
        for (Manifest.CopiedFile file : manifest.files()) {
            if (file.name().startsWith(StoreFiles.WAL_NAME + "/")) {
                try (WalReader reader = new WalReader(vfs, directory.resolve(file.name()), manifest.storeId())) {
                    if (reader.next()) {
                        logs.put(reader.firstSequence(), reader.path());
                    }
                }
            }
        }
        long last = FoundTag.of(vfs, directory.resolve(StoreFiles.SPACE_NAME), manifest.storeId());
        for (Path log : logs.values()) {
            try (WalReader reader = new WalReader(vfs, log, manifest.storeId())) {
                while (reader.next() && reader.firstSequence() <= last + 1) {
                    last = Math.max(last, reader.lastSequence());
                }
            }
        }
        if (last < manifest.summary().sequence()) {
            throw new CorruptionException(
                    directory,
                    0,
                    "writes up to sequence number " + manifest.summary().sequence() + " in the space and the logs",
                    "none behind " + last);
        }
    }

    /** Describes a file: name, length and checksum. */
    Manifest.CopiedFile describe(Vfs vfs, Path directory, String name) {
        try (VfsFile file = vfs.open(directory.resolve(name), OpenMode.READ)) {
            long size = file.size();
            return new Manifest.CopiedFile(name, size, read(file, size, null));
        }
    }

    /** Verifies a file, and copies it if there is somewhere to copy it to. */
    void copy(Vfs vfs, Path directory, Manifest.CopiedFile expected, Path to) {
        try (VfsFile file = vfs.open(directory.resolve(expected.name()), OpenMode.READ)) {
            long size = file.size();
            if (size != expected.bytes()) {
                throw new CorruptionException(
                        file.path(), Math.min(size, expected.bytes()), expected.bytes() + " bytes", size + " bytes");
            }
            int found;
            if (to == null) {
                found = read(file, size, null);
            } else {
                try (VfsFile target = vfs.open(to.resolve(expected.name()), OpenMode.CREATE)) {
                    found = read(file, size, target);
                    target.force();
                }
            }
            if (found != expected.crc()) {
                throw new CorruptionException(
                        file.path(),
                        0,
                        "checksum " + Integer.toHexString(expected.crc()) + " of the whole file",
                        Integer.toHexString(found));
            }
        }
    }

    /** Reads a file, and writes it but for zeros, so that what is not used of a log takes no disk space. */
    private int read(VfsFile file, long size, VfsFile target) {
        crc.reset();
        for (long position = 0; position < size; ) {
            int length = (int) Math.min(PIECE_BYTES, size - position);
            piece.clear().limit(length);
            file.readFully(piece, position);
            piece.flip();
            crc.update(piece);
            boolean last = position + length == size;
            boolean zero = Zeros.are(piece, 0, length);
            usedBytes += zero ? 0 : length;
            if (target != null && (last || !zero)) {
                piece.clear().limit(length);
                target.write(piece, position);
            }
            position += length;
            read.accept(length);
        }
        return (int) crc.getValue();
    }
}
