package io.flexdb;

import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is set. */
final class TestClock implements InstantSource {
    private volatile long millis = 1_000_000;
    private volatile boolean failing;

    void advance(long by) {
        millis += by;
    }

    void set(long newMillis) {
        millis = newMillis;
    }

    void fail(boolean fails) {
        failing = fails;
    }

    @Override
    public long millis() {
        if (failing) {
            throw new IllegalStateException("the clock has stopped");
        }
        return millis;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }
}
