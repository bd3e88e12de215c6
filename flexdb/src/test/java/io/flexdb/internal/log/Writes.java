package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.WritePayload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Appends writes of one put each and tells what a log holds. */
final class Writes {
    private Writes() {}

    /** A put whose bytes follow from its sequence number. */
    static byte[] payload(long sequence, int valueLength) {
        byte[] payload = new byte[(int) WritePayload.putBytes(8, valueLength)];
        int at = WritePayload.encodePutHeader(payload, 0, 8, valueLength);
        byte[] bytes = new byte[8 + valueLength];
        new Random(sequence).nextBytes(bytes);
        System.arraycopy(bytes, 0, payload, at, bytes.length);
        return payload;
    }

    /** An empty log that gets zeros in the usual way. */
    static WalWriter create(
            Vfs vfs, Path directory, long number, long storeId, long generation, long capacity, boolean mapped) {
        WalId id = new WalId(storeId, number, generation);
        return WalWriter.create(vfs, directory, id, capacity, new WalMode(mapped, true), filled -> {});
    }

    static void append(WalWriter writer, long sequence, int valueLength) {
        byte[] payload = payload(sequence, valueLength);
        writer.append(
                new Payload().set(payload, payload.length, 1, 0, 0),
                WritePayload.checksum(payload, 0, payload.length),
                sequence,
                false);
    }

    /** The payloads of a file, from its first frame to its end. */
    static List<byte[]> read(Vfs vfs, Path file, long storeId) {
        List<byte[]> payloads = new ArrayList<>();
        try (WalReader reader = new WalReader(vfs, file, storeId)) {
            while (reader.next()) {
                payloads.add(
                        Arrays.copyOf(reader.payload().bytes(), reader.payload().length()));
            }
        }
        return payloads;
    }

    static boolean same(List<byte[]> a, List<byte[]> b) {
        if (a.size() != b.size()) {
            return false;
        }
        for (int i = 0; i < a.size(); i++) {
            if (!Arrays.equals(a.get(i), b.get(i))) {
                return false;
            }
        }
        return true;
    }
}
