package io.flexdb.flexspace.simulation;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Method;

/** Virtual threads, which JDK 17 does not have. */
public final class VirtualThreads {
    private VirtualThreads() {}

    /** Has the test left out, and told so, where there are none. */
    public static void assumeThereAre() {
        assumeTrue(builder() != null, () -> "JDK " + Runtime.version().feature() + " has no virtual threads");
    }

    /** Starts one. */
    public static Thread start(Runnable task) {
        try {
            Method start = Class.forName("java.lang.Thread$Builder").getMethod("start", Runnable.class);
            return (Thread) start.invoke(builder(), task);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object builder() {
        if (Runtime.version().feature() < 21) {
            return null;
        }
        try {
            return Thread.class.getMethod("ofVirtual").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
