package io.flexdb.cli;

import io.flexdb.FlexCursor;
import io.flexdb.ReadOptions;
import io.flexdb.Snapshot;
import io.flexdb.ValueReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.function.LongConsumer;

/** Writes a dump, see {@link DumpFormat}. Of a large value only a part is in memory. */
final class DumpWriter {
    private static final int LARGE_BYTES = 1 << 20;

    private final ChunkOutput chunks;
    private final DataOutputStream out;
    private final LongConsumer progress; // told the bytes written
    private long pairs;
    private long bytes;

    DumpWriter(OutputStream target, LongConsumer progress) throws IOException {
        this.chunks = new ChunkOutput(target, new SecureRandom().nextLong());
        this.out = new DataOutputStream(chunks);
        this.progress = progress;
    }

    /** Writes a keyspace. */
    void keyspace(String name, Snapshot snapshot) throws IOException {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        out.writeByte(DumpFormat.KEYSPACE);
        out.writeShort(nameBytes.length);
        out.write(nameBytes);
        try (FlexCursor cursor = snapshot.cursor(ReadOptions.defaults())) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                pair(snapshot, cursor);
            }
        }
    }

    private void pair(Snapshot snapshot, FlexCursor cursor) throws IOException {
        byte[] key = cursor.key();
        int length = cursor.valueLength();
        out.writeByte(DumpFormat.PAIR);
        out.writeInt(key.length);
        out.writeInt(length);
        out.writeLong(cursor.expiresAt().map(Instant::toEpochMilli).orElse(DumpFormat.NEVER));
        out.write(key);
        if (length < LARGE_BYTES) {
            out.write(cursor.value());
        } else {
            try (ValueReader value = snapshot.openValue(key)) {
                value.transferTo(Channels.newChannel(out));
            }
        }
        pairs++;
        bytes += key.length + length;
        progress.accept(bytes);
    }

    /** Writes the end and returns the number of pairs. */
    long finish() throws IOException {
        out.writeByte(DumpFormat.END);
        out.writeLong(pairs);
        out.flush();
        chunks.finish();
        return pairs;
    }
}
