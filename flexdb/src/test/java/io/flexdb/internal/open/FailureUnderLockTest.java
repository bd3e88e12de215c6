package io.flexdb.internal.open;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.write.Precondition;
import io.flexdb.storage.StoreFailedException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A store that fails while somebody waits for a write with the write lock held. */
class FailureUnderLockTest {
    private static long put(Store store, Precondition precondition) {
        Payload payload = Payload.reused();
        payload.beginPut(4, 4);
        payload.end();
        return store.writer().write(payload, Force.WHEN_ASKED, precondition, null);
    }

    @Test
    void itEndsTheWait() throws InterruptedException {
        StoreSettings settings = new StoreSettings();
        settings.memtableBytes = StoreSettings.MIN_MEMTABLE_BYTES;
        settings.cacheBytes = 1 << 20;
        try (Store store =
                StoreOpener.open(new SimulatedVfs(), Path.of("/store"), settings, JvmResources.SHARED.threads)) {
            Thread failing = new Thread(() -> store.versions.health.fail(new IOException("for a test")));
            int[] asked = {0};
            Precondition precondition = through -> {
                if (asked[0]++ == 0) {
                    put(store, null); // so it is asked once more, with the lock held
                } else {
                    failing.start();
                    store.versions.awaitVisible(through + 1); // a write that never comes
                }
                return true;
            };
            assertThrows(StoreFailedException.class, () -> put(store, precondition));
            failing.join();
            assertEquals(2, asked[0]);
        }
    }
}
