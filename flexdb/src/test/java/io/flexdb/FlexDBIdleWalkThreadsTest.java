package io.flexdb;

import static io.flexdb.FlexDBDefragmentTest.key;
import static io.flexdb.FlexDBDefragmentTest.scattered;
import static io.flexdb.FlexDBDefragmentTest.value;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.write.WalkByHand;
import io.flexdb.testing.Waiting;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Somebody comes while a store that rests is looked after by its own thread. */
class FlexDBIdleWalkThreadsTest {
    private static final long MINUTE = 60_000_000_000L;

    /** A directory may be on a disk, or a server, that takes long, and a write need not ask it anything. */
    @Test
    void noWriteWaitsUntilLeasesAreFound() throws InterruptedException {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.db.close();
        CountDownLatch looks = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        ForwardingVfs vfs = new ForwardingVfs(store.vfs) {
            @Override
            public List<String> list(Path directory) {
                if (WalkByHand.isCalling()) {
                    looks.countDown();
                    Waiting.until(goesOn);
                }
                return super.list(directory);
            }
        };
        AtomicLong nanos = new AtomicLong();
        StoreSettings settings =
                StoreDriver.SMALL.withDurability(Durability.NONE).settings().copy();
        settings.nanoClock = nanos::get;
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, FlexDBOptions.of(settings), false)) {
            Waiting.whileTrue(() -> {
                nanos.addAndGet(MINUTE);
                return looks.getCount() > 0;
            });
            Thread writer = new Thread(() -> db.put(key(1), value(1, 9)));
            writer.start();
            writer.join(Waiting.LONGEST.toMillis());
            boolean waits = writer.isAlive();
            goesOn.countDown();
            writer.join();
            assertFalse(waits, "it waited for the files");
            assertArrayEquals(value(1, 9), db.get(key(1)));
        } finally {
            goesOn.countDown();
        }
    }
}
