package io.flexdb;

import io.flexdb.internal.open.JvmMemory;
import io.flexdb.testing.Waiting;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Has what tests have left in direct memory collected before the next one, if that is much. Caches take only what is
 * there, so without this it would depend on the order of all tests which ones have a cache. JUnit finds this by itself.
 */
public final class LeftMemory implements BeforeEachCallback {
    private static final JvmMemory JVM = JvmMemory.ofThisProcess();
    private static final int MOST_COLLECTIONS = 3; // one may end before what it found is free

    @Override
    public void beforeEach(ExtensionContext context) {
        for (int i = 0; isMuchHeld() && i < MOST_COLLECTIONS; i++) {
            Waiting.collect();
        }
    }

    private static boolean isMuchHeld() {
        return JVM.directRoom() < JVM.directBytes() / 2;
    }
}
