package io.flexdb.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NoThreadsTest {
    private final Scheduler scheduler = new NoThreads();
    private final List<Thread> runs = new ArrayList<>();

    private long run() {
        runs.add(Thread.currentThread());
        return Long.MAX_VALUE;
    }

    @Test
    void aTaskRunsInACallerThatWaitsForItAndElseNever() {
        Scheduler.Task task = scheduler.add("task", this::run);
        task.wake();
        task.wakeIn(0);
        assertEquals(List.of(), runs);
        task.wakeFirst();
        assertEquals(List.of(Thread.currentThread()), runs);
        task.end();
        task.wakeFirst();
        assertEquals(1, runs.size());
        Scheduler.Task other = scheduler.add("other", this::run);
        other.endWhenDone();
        other.wakeFirst();
        assertEquals(1, runs.size());
    }

    @Test
    void aTaskThatIsWokenWhileItRunsIsRunOnceMoreAfterwards() {
        Scheduler.Task[] task = new Scheduler.Task[1];
        boolean[] inside = {false};
        task[0] = scheduler.add("task", () -> {
            assertFalse(inside[0]);
            inside[0] = true;
            if (runs.size() < 3) {
                task[0].wakeFirst();
            }
            inside[0] = false;
            return run();
        });
        task[0].wakeFirst();
        assertEquals(4, runs.size());
    }

    @Test
    void nothingIsDoneAheadOrBesideTheCaller() {
        assertEquals("on demand", scheduler.<String>choose(() -> "ahead", () -> "on demand"));
        assertEquals(0, scheduler.helpers(5));
        assertEquals(scheduler.nanoTime(), scheduler.nanoTime());
        assertFalse(scheduler.areScarce());
        scheduler.runForeign("foreign", this::run);
        assertSame(Thread.currentThread(), runs.get(0));
        assertEquals(
                "ahead",
                new SharedThreads(SharedThreads.usualWorkers()).<String>choose(() -> "ahead", () -> "on demand"));
    }
}
