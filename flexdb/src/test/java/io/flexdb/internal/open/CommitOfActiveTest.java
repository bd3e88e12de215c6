package io.flexdb.internal.open;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.HookedVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.mem.Payload;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Waiting;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The memtable that takes writes is committed because there is no space for another log; and then there is. */
class CommitOfActiveTest {
    private static final int VALUE_BYTES = 500;

    private final AtomicBoolean hasSpace = new AtomicBoolean();
    private final CountDownLatch committing = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private void before(HookedVfs.Kind kind, Path path) {
        String thread = Thread.currentThread().getName();
        if (thread.startsWith("flexdb-logs ") && kind == HookedVfs.Kind.CREATE && !hasSpace.get()) {
            throw new StoreFullException("no space, for a test: " + path);
        }
        if (thread.startsWith("flexdb-commit ") && kind == HookedVfs.Kind.FORCE && committing.getCount() > 0) {
            committing.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void put(Store store, int number) {
        Payload payload = Payload.reused();
        int key = payload.beginPut(4, VALUE_BYTES);
        payload.bytes()[key] = (byte) (number >> 8);
        payload.bytes()[key + 1] = (byte) number;
        payload.end();
        store.writer().write(payload, Force.WHEN_ASKED);
    }

    /** What writers have begun meanwhile is not frozen in the place of what was committed. */
    @Test
    void whatBeginsMeanwhileGoesOn() throws InterruptedException {
        Vfs vfs = new HookedVfs(new SimulatedVfs(), this::before);
        StoreSettings settings = new StoreSettings();
        settings.memtableBytes = StoreSettings.MIN_MEMTABLE_BYTES;
        settings.cacheBytes = 1 << 20;
        try (Store store = StoreOpener.open(vfs, Path.of("/store"), settings, JvmResources.SHARED.threads)) {
            put(store, 0);
            MemLog first = store.versions.current().newest();
            Thread writer = new Thread(() -> {
                for (int i = 1; store.versions.current().newest() == first; i++) {
                    put(store, i);
                }
            });
            writer.start();
            committing.await();
            hasSpace.set(true);
            Thread other = new Thread(() -> put(store, 10_000)); // for whom it is tried again to make a log
            other.start();
            other.join();
            writer.join();
            MemLog second = store.versions.current().newest();
            assertTrue(first.isFrozen() && second != first);
            goOn.countDown();
            Waiting.whileTrue(() -> store.versions.current().logs().length > 1);
            assertSame(second, store.versions.current().newest());
            assertFalse(second.isFrozen());
        }
    }
}
