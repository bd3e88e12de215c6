package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.base.SegmentSizes;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.storage.CorruptionException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The parts of a backup. It is written last: a backup without it is none.
 *
 * @param summary what is told of it without its parts
 * @param format of the store's segments
 * @param files that it has for itself
 * @param segments which it may share with others
 */
public record Manifest(Summary summary, SegmentFormat format, List<CopiedFile> files, List<String> segments) {
    static final String NAME = "manifest";
    private static final String TITLE = "A backup of a FlexDB store.";
    private static final int BEGINNING_BYTES = 256;
    private static final Pattern FILE = Pattern.compile("(space/tree|space/log-1|wal/[0-9]{20})");

    /**
     * The line of a backup in a list of them.
     *
     * @param id its number
     * @param time when it was begun
     * @param sequence the last write that it has
     * @param newBytes that were not in earlier ones
     */
    public record Summary(long id, Instant time, long sequence, long newBytes) {}

    /**
     * A file of its own.
     *
     * @param name relative to the backup, and to the store
     * @param bytes its length
     * @param crc the CRC32C of all of it
     */
    record CopiedFile(String name, long bytes, int crc) {}

    /** Bytes of all files and segments. */
    public long bytes() {
        long bytes = files.stream().mapToLong(CopiedFile::bytes).sum();
        for (String name : segments) {
            SegmentName segment = SegmentName.parse(name);
            bytes += segment.sealed() ? format.segmentBytes : (long) segment.frames() << format.frameShift;
        }
        return bytes;
    }

    /** The store that it is of, which those restored are as well. */
    long storeId() {
        return format.storeId;
    }

    void write(Vfs vfs, Path directory) {
        List<String> lines = new ArrayList<>();
        lines.add("backup = " + summary.id);
        lines.add("store = " + Long.toHexString(storeId()));
        lines.add("time = " + summary.time);
        lines.add("sequence = " + summary.sequence);
        lines.add("segmentBytes = " + format.segmentBytes);
        lines.add("frameBytes = " + format.frameBytes);
        lines.add("newBytes = " + summary.newBytes);
        files.forEach(
                file -> lines.add("file = " + file.name + " " + file.bytes + " " + Integer.toHexString(file.crc)));
        segments.forEach(segment -> lines.add("segment = " + segment));
        CheckedText.write(vfs, directory.resolve(NAME), TITLE, lines);
    }

    /** Whether a file begins as a manifest does, and perhaps is a damaged one. */
    static boolean beginsIn(Vfs vfs, Path path) {
        return CheckedText.beginning(vfs, path, BEGINNING_BYTES).startsWith(CheckedText.firstLine(TITLE));
    }

    /** Whether a file begins as the manifest of a certain backup does, be the rest damaged. */
    static boolean beginsIn(Vfs vfs, Path path, long id, long storeId) {
        List<String> lines =
                List.of(CheckedText.beginning(vfs, path, BEGINNING_BYTES).split("\n", -1));
        return lines.size() > 4
                && lines.get(0).equals(CheckedText.firstLine(TITLE))
                && lines.get(2).equals("backup = " + id)
                && lines.get(3).equals("store = " + Long.toHexString(storeId));
    }

    static Manifest read(Vfs vfs, Path path) {
        List<String> lines = CheckedText.read(vfs, path);
        Lines in = new Lines(path, lines);
        try {
            long id = Long.parseLong(in.next("backup"));
            long storeId = Long.parseUnsignedLong(in.next("store"), 16);
            Instant time = Instant.parse(in.next("time"));
            long sequence = Long.parseLong(in.next("sequence"));
            SegmentSizes sizes = new SegmentSizes(
                    Integer.parseInt(in.next("segmentBytes")), Integer.parseInt(in.next("frameBytes")));
            long newBytes = Long.parseLong(in.next("newBytes"));
            List<CopiedFile> files = new ArrayList<>();
            while (in.isNext("file")) {
                String[] parts = in.next("file").split(" ");
                if (parts.length != 3 || !FILE.matcher(parts[0]).matches()) {
                    throw in.bad("a file of a store");
                }
                files.add(new CopiedFile(parts[0], Long.parseLong(parts[1]), Integer.parseUnsignedInt(parts[2], 16)));
            }
            List<String> segments = new ArrayList<>();
            while (in.isNext("segment")) {
                String name = in.next("segment");
                if (SegmentName.parse(name) == null) {
                    throw in.bad("a segment");
                }
                segments.add(name);
            }
            if (in.at != lines.size() || !sizes.areSound()) {
                throw in.bad("nothing more, and sizes that fit each other");
            }
            Summary summary = new Summary(id, time, sequence, newBytes);
            return new Manifest(summary, new SegmentFormat(sizes, storeId), files, segments);
        } catch (NumberFormatException | DateTimeParseException e) {
            throw in.bad("a value of its kind");
        }
    }

    private static final class Lines {
        private final Path path;
        private final List<String> lines;
        private int at;

        Lines(Path path, List<String> lines) {
            this.path = path;
            this.lines = lines;
        }

        boolean isNext(String name) {
            return at < lines.size() && lines.get(at).startsWith(name + " = ");
        }

        String next(String name) {
            if (!isNext(name)) {
                throw bad("a line " + name);
            }
            return lines.get(at++).substring(name.length() + 3);
        }

        CorruptionException bad(String expected) {
            String found = at < lines.size() ? lines.get(at) : "the end";
            return new CorruptionException(path, 0, expected + " near line " + (at + 3), found);
        }
    }
}
