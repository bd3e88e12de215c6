package io.flexdb.flexspace;

import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Fills a space until there is no room, in a process of its own, and does what must still work then. */
final class FillingProcess {
    private static final int RECORD_BYTES = 10_000;
    private static final int MAX_RECORDS = 100_000;

    private FillingProcess() {}

    /** @param arguments the directory of the space */
    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        FlexSpaceOptions options = FlexSpaceOptions.defaults().withSegments(64 << 10, 512);
        long size;
        try (FlexSpace space = FlexSpace.open(directory, options)) {
            StoreFullException refusal = fill(space);
            System.out.println("refused at " + space.size() + ": " + refusal.getMessage());
            require(fill(space) != null, "refused again");
            ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES);
            space.read(0, record);
            require(record.get(0) == 1, "read");
            space.sync();
            space.collapseRange(0, 20L * RECORD_BYTES);
            space.collapseRange(10L * RECORD_BYTES, 200L * RECORD_BYTES);
            space.insertRange(0, ByteBuffer.allocate(RECORD_BYTES).put(0, (byte) 7));
            size = space.size();
        }
        try (FlexSpace space = FlexSpace.open(directory, options)) {
            require(space.size() == size, "size " + space.size() + " after opening again, not " + size);
            require(space.check().isSound(), "sound");
        }
        System.out.println("well: " + size);
    }

    private static StoreFullException fill(FlexSpace space) {
        byte[] record = new byte[RECORD_BYTES];
        for (int i = 0; i < MAX_RECORDS; i++) {
            record[0] = 1;
            record[1 + i % 5000] = (byte) i;
            try {
                space.insertRange(space.size(), ByteBuffer.wrap(record));
            } catch (StoreFullException e) {
                return e;
            }
        }
        throw new AssertionError("never refused");
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError("not " + what);
        }
    }
}
