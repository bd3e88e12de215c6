package io.flexdb.internal.txn;

import io.flexdb.internal.base.StoreEvents;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.write.WrittenKeys;
import io.flexdb.storage.ConflictException;
import java.util.Arrays;

/** Checks a footprint against the writes of others, while more keys come than memory has room for. For one thread. */
public final class WrittenKeysCheck implements WrittenKeys {
    /*
     * Keys are gathered in a payload of deletes and looked for together. Nobody can write to them, or to the rest of
     * the footprint, meanwhile. So all possible conflicts are there when the first keys are looked for.
     */
    private static final int AT_ONCE_BYTES = 64 << 10;

    private final Footprint footprint;
    private byte[] payload = new byte[AT_ONCE_BYTES];
    private int length;
    private long through;

    public WrittenKeysCheck(Footprint footprint) {
        this.footprint = footprint;
    }

    @Override
    public void held(long lastBefore) {
        through = lastBefore;
        check(); // the reads, once
        footprint.clearReads();
    }

    @Override
    public void deletedRange(byte[] from, byte[] to) {
        makeRoom(WritePayload.putBytes(from.length, to.length));
        int at = WritePayload.encodeRangeHeader(payload, length, from.length, to.length);
        System.arraycopy(from, 0, payload, at, from.length);
        System.arraycopy(to, 0, payload, at + from.length, to.length);
        length = at + from.length + to.length;
    }

    @Override
    public void wrote(byte[] key) {
        makeRoom(WritePayload.deleteBytes(key.length));
        int at = WritePayload.encodeDeleteHeader(payload, length, key.length);
        System.arraycopy(key, 0, payload, at, key.length);
        length = at + key.length;
    }

    private void makeRoom(long bytes) {
        if (payload.length - length < bytes) {
            check();
            if (payload.length < bytes) {
                payload = Arrays.copyOf(payload, (int) bytes);
            }
        }
    }

    @Override
    public void end() {
        check();
    }

    private void check() {
        footprint.setWrites(payload, length, 0); // looked for by key, however many there are
        length = 0;
        if (!footprint.holds(through)) {
            throw conflict(footprint);
        }
    }

    /** The exception for a footprint that does not hold. */
    public static ConflictException conflict(Footprint footprint) {
        String reason = footprint.conflict();
        StoreEvents.transactionConflict(reason);
        return new ConflictException("the transaction can't be committed: " + reason + "; run it again");
    }
}
