package io.flexdb.flexspace.internal.vfs;

/** Waits that an interrupt does not end: it is handed back afterwards. */
public final class Uninterruptibly {
    private Uninterruptibly() {}

    /** A call that waits, and may be made again after an interrupt. */
    public interface Wait {
        void run() throws InterruptedException;
    }

    /** Waits to the end. */
    public static void run(Wait wait) {
        boolean interrupted = false;
        while (true) {
            try {
                wait.run();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
