package io.flexdb.cli;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Writes the header of a dump, and what is written to it as chunks. */
final class ChunkOutput extends OutputStream {
    private final DataOutputStream out;
    private final ChunkChecksum checksum;
    private final byte[] content = new byte[DumpFormat.MAX_CHUNK_BYTES];
    private int length;

    /**
     * @param dump a number that no other dump has
     */
    ChunkOutput(OutputStream out, long dump) throws IOException {
        this.out = new DataOutputStream(out);
        this.checksum = new ChunkChecksum(dump);
        this.out.write(DumpFormat.MAGIC);
        this.out.writeInt(DumpFormat.VERSION);
        this.out.writeLong(dump);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        int written = 0;
        while (written < count) {
            if (length == content.length) {
                writeChunk();
            }
            int part = Math.min(count - written, content.length - length);
            System.arraycopy(bytes, from + written, content, length, part);
            length += part;
            written += part;
        }
    }

    private void writeChunk() throws IOException {
        out.writeInt(length);
        out.write(content, 0, length);
        out.writeInt(checksum.next(content, length));
        length = 0;
    }

    /** Writes what is left, and the last chunk. The stream underneath stays open. */
    void finish() throws IOException {
        if (length > 0) {
            writeChunk();
        }
        writeChunk();
        out.flush();
    }
}
