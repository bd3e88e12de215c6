package io.flexdb.internal.write;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class IdleTimeTest {
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong clock = new AtomicLong(-5);
    private final IdleTime idle = new IdleTime(clock::get);

    @Test
    void itIsOverTenSecondsAfterTheLastWriteThatWasSeen() {
        assertFalse(idle.isOver(7));
        clock.addAndGet(10 * SECOND - 1);
        assertFalse(idle.isOver(7));
        clock.incrementAndGet();
        assertTrue(idle.isOver(7));
        assertFalse(idle.isOver(8));
        clock.addAndGet(10 * SECOND);
        assertTrue(idle.isOver(8));
        idle.begin();
        assertFalse(idle.isOver(8));
    }
}
