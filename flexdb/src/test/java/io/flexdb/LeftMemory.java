package io.flexdb;

import io.flexdb.internal.memory.JvmMemory;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Has what tests have left in direct memory collected before the next one, if that is much. Caches take only what is
 * there, so without this it would depend on the order of all tests which ones have a cache. JUnit finds this by itself.
 */
public final class LeftMemory implements BeforeEachCallback {
    private static final JvmMemory JVM = JvmMemory.ofThisProcess();
    private static final int MOST_MILLIS = 200; // until what was collected is free

    @Override
    public void beforeEach(ExtensionContext context) throws InterruptedException {
        if (isMuchHeld()) {
            System.gc();
            for (int waited = 0; isMuchHeld() && waited < MOST_MILLIS; waited++) {
                Thread.sleep(1);
            }
        }
    }

    private static boolean isMuchHeld() {
        return JVM.directRoom() < JVM.directBytes() / 2;
    }
}
