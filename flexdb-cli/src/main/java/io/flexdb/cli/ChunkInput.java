package io.flexdb.cli;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;

/** Reads the header of a dump, and the content of its chunks once their checksums are found right. */
final class ChunkInput extends InputStream {
    private final DataInputStream in;
    private final ChunkChecksum checksum;
    private final byte[] content = new byte[DumpFormat.MAX_CHUNK_BYTES];
    private int position;
    private int length;
    private boolean hasEnded;

    ChunkInput(InputStream in) throws IOException {
        this.in = new DataInputStream(in);
        byte[] magic = this.in.readNBytes(DumpFormat.MAGIC.length);
        if (!Arrays.equals(magic, DumpFormat.MAGIC)) {
            throw refused("it does not begin with FLEXDUMP, so it is no dump of \"flexdb dump\"");
        }
        int version = readInt("the version");
        if (version != DumpFormat.VERSION) {
            throw refused("it has version " + version + ", and this release reads version " + DumpFormat.VERSION);
        }
        this.checksum = new ChunkChecksum((long) readInt("the header") << 32 | readInt("the header") & 0xFFFF_FFFFL);
    }

    /** A failure that tells what is wrong with a dump. */
    static CommandFailure refused(String problem) {
        return new CommandFailure(ExitCode.DAMAGED, "the dump is refused: " + problem);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int from, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        if (position == length && !hasEnded) {
            readChunk();
        }
        if (hasEnded) {
            return -1;
        }
        int part = Math.min(count, length - position);
        System.arraycopy(content, position, target, from, part);
        position += part;
        return part;
    }

    private void readChunk() throws IOException {
        long chunk = checksum.chunk();
        int bytes = readInt("chunk " + chunk);
        if (bytes < 0 || bytes > content.length) {
            throw refused("chunk " + chunk + " is damaged: its length is " + bytes);
        }
        if (in.readNBytes(content, 0, bytes) < bytes) {
            throw refused("it is cut short in chunk " + chunk);
        }
        int found = readInt("chunk " + chunk);
        int expected = checksum.next(content, bytes);
        if (found != expected) {
            throw refused(String.format(
                    Locale.ROOT, "chunk %d is damaged: expected checksum %08x, found %08x", chunk, expected, found));
        }
        position = 0;
        length = bytes;
        hasEnded = bytes == 0;
        if (hasEnded && in.read() >= 0) {
            throw refused("there are bytes behind its end");
        }
    }

    private int readInt(String where) throws IOException {
        try {
            return in.readInt();
        } catch (EOFException e) {
            throw refused("it is cut short in " + where);
        }
    }
}
