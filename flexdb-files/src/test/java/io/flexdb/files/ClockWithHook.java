package io.flexdb.files;

import java.time.Instant;
import java.time.InstantSource;

/** Runs something when it is asked for the time again so many times, as each change of a file system does at first. */
public final class ClockWithHook implements InstantSource {
    private int left;
    private Hook hook;

    /** What is run. */
    public interface Hook {
        void run() throws Exception;
    }

    /** Arms it, for once. */
    public void at(int call, Hook newHook) {
        left = call;
        hook = newHook;
    }

    /** Whether the hook was run. */
    public boolean hasRun() {
        return left <= 0;
    }

    @Override
    public Instant instant() {
        if (left > 0 && --left == 0) {
            try {
                hook.run();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
        return Instant.now();
    }
}
