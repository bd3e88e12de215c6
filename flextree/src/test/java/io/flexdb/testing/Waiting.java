package io.flexdb.testing;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;

/**
 * Waits for other threads and for the garbage collector. A test is right or wrong on a machine of any speed, so the
 * limits here only end a test that hangs.
 */
public final class Waiting {
    /** The longest that a test waits for anything, on a machine that is busy with a hundred other things. */
    public static final Duration LONGEST = Duration.ofMinutes(10);

    private Waiting() {}

    /** Waits as long as this is true. The caller does not keep a processor from whoever is to change it. */
    public static void whileTrue(BooleanSupplier condition) {
        Awaitility.await()
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(LONGEST)
                .until(() -> !condition.getAsBoolean());
    }

    /** Waits until a latch is at zero. An interrupt does not end the wait, and stays pending. */
    public static void until(CountDownLatch latch) {
        boolean interrupted = false;
        for (boolean done = false; !done; ) {
            try {
                latch.await();
                done = true;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Has garbage collected as long as this is true: for what an account counts until it is collected. */
    public static void collectWhile(BooleanSupplier condition) {
        whileTrue(() -> {
            if (!condition.getAsBoolean()) {
                return false;
            }
            collect();
            return condition.getAsBoolean();
        });
    }

    /** Has garbage collected, and waits until references to some of it have been handled. */
    public static void collect() {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        PhantomReference<Object> collected = new PhantomReference<>(new Object(), queue);
        System.gc();
        try {
            queue.remove(LONGEST.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        collected.clear();
    }
}
