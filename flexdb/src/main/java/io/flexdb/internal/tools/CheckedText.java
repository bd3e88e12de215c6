package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Small text files with a format number and a checksum: lines of a name and a value. */
final class CheckedText {
    private static final String FORMAT_LINE = "format = ";
    private static final String CHECKSUM = "checksum = ";
    private static final long MAX_BYTES = 1L << 30;
    /** The end of the name of a file that is being written. */
    static final String UNFINISHED = ".new";

    private CheckedText() {}

    /** The first line of such a file. */
    static String firstLine(String title) {
        return "# " + title + " Do not edit.";
    }

    /** Writes a file of that name, durably, in one step; the directory's names are synced. */
    static void write(Vfs vfs, Path path, String title, List<String> lines) {
        StringBuilder text =
                new StringBuilder(firstLine(title) + "\n" + FORMAT_LINE + FormatVersion.LADDER.written() + "\n");
        lines.forEach(line -> text.append(line).append('\n'));
        byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
        byte[] end = String.format(Locale.ROOT, CHECKSUM + "%08x\n", crc(bytes, bytes.length))
                .getBytes(StandardCharsets.US_ASCII);
        Path unfinished = path.resolveSibling(path.getFileName() + UNFINISHED);
        vfs.deleteIfExists(unfinished);
        try (VfsFile file = vfs.open(unfinished, OpenMode.CREATE)) {
            file.write(ByteBuffer.wrap(bytes), 0);
            file.write(ByteBuffer.wrap(end), bytes.length);
            file.force();
        }
        vfs.rename(unfinished, path);
        vfs.syncDirectory(path.getParent());
    }

    /** The first bytes of a file, whatever they are. */
    static String beginning(Vfs vfs, Path path, int bytes) {
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            ByteBuffer some = ByteBuffer.allocate((int) Math.min(bytes, file.size()));
            file.readFully(some, 0);
            return new String(some.array(), StandardCharsets.ISO_8859_1);
        }
    }

    private static byte[] bytes(Vfs vfs, Path path) {
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            long size = file.size();
            if (size > MAX_BYTES) {
                throw new CorruptionException(path, 0, "a text of " + MAX_BYTES + " bytes at most", size + " bytes");
            }
            ByteBuffer all = ByteBuffer.allocate((int) size);
            file.readFully(all, 0);
            return all.array();
        }
    }

    /** Reads the lines between the format and the checksum. */
    static List<String> read(Vfs vfs, Path path) {
        byte[] bytes = bytes(vfs, path);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
        if (lines.size() < 4 || !lines.get(1).startsWith(FORMAT_LINE)) {
            throw new CorruptionException(path, 0, "a line with the format", "other text");
        }
        String format = lines.get(1).substring(FORMAT_LINE.length());
        String last = lines.get(lines.size() - 2);
        int covered = bytes.length - last.length() - 1;
        String expected = String.format(Locale.ROOT, CHECKSUM + "%08x", covered < 0 ? 0 : crc(bytes, covered));
        if (!last.equals(expected) || !lines.get(lines.size() - 1).isEmpty()) {
            if (numberOf(format) > FormatVersion.LADDER.written()) {
                FormatVersion.LADDER.requireReadable(path, "backup", numberOf(format));
            }
            throw new CorruptionException(path, 0, expected, last);
        }
        FormatVersion.LADDER.requireReadable(path, "backup", numberOf(format));
        return lines.subList(2, lines.size() - 2);
    }

    private static int numberOf(String format) {
        return format.matches("[0-9]{1,9}") ? Integer.parseInt(format) : 0;
    }

    private static int crc(byte[] bytes, int length) {
        return FilePreamble.crc(ByteBuffer.wrap(bytes), 0, length);
    }
}
