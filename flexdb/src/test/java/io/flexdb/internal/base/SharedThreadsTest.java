package io.flexdb.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SharedThreadsTest {
    private final SharedThreads threads = new SharedThreads(SharedThreads.usualWorkers());

    @Test
    void aTaskRunsWhenItIsWokenWithItsNameAndNotBefore() {
        AtomicInteger runs = new AtomicInteger();
        AtomicReference<String> name = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(1);
        SharedThreads.Task never = threads.add("never", () -> runs.incrementAndGet());
        SharedThreads.Task task = threads.add("flexdb-commit /somewhere", () -> {
            name.set(Thread.currentThread().getName());
            ran.countDown();
            return Long.MAX_VALUE;
        });
        task.wake();
        Waiting.until(ran);
        assertEquals("flexdb-commit /somewhere", name.get());
        task.end();
        never.end();
        assertEquals(0, runs.get());
        assertEquals(0, threads.taskCount());
    }

    @Test
    void aTaskThatEndsWhenItIsDoneRunsOnceMoreAndIsNotWaitedFor() {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        SharedThreads.Task task = threads.add("ending", () -> {
            begun.countDown();
            Waiting.until(mayEnd);
            return runs.incrementAndGet() == 1 ? 0 : Long.MAX_VALUE; // asks for another run, and no more
        });
        task.wake();
        Waiting.until(begun);
        task.endWhenDone();
        assertEquals(1, threads.taskCount());
        mayEnd.countDown();
        Waiting.whileTrue(() -> threads.taskCount() > 0);
        assertEquals(2, runs.get());
        task.wake();
        SharedThreads.Task idle = threads.add("idle", () -> runs.incrementAndGet());
        idle.endWhenDone();
        assertEquals(0, threads.taskCount());
        assertEquals(2, runs.get());
    }

    @Test
    void aTaskRunsAgainAfterTheTimeThatItHasAskedFor() {
        CountDownLatch runs = new CountDownLatch(5);
        SharedThreads.Task task = threads.add("periodic", () -> {
            runs.countDown();
            return 1_000_000;
        });
        task.wakeIn(1_000_000);
        Waiting.until(runs);
        task.end();
    }

    /** Nobody's wake-up is lost, and nothing is run by two threads. */
    @Test
    void whatIsWokenIsRunAfterThat() throws InterruptedException {
        int count = 20;
        int turns = 500;
        AtomicInteger[] asked = new AtomicInteger[count];
        AtomicInteger[] seen = new AtomicInteger[count];
        AtomicBoolean twice = new AtomicBoolean();
        List<SharedThreads.Task> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            AtomicInteger mine = new AtomicInteger();
            AtomicInteger mySeen = new AtomicInteger();
            AtomicBoolean inside = new AtomicBoolean();
            asked[i] = mine;
            seen[i] = mySeen;
            tasks.add(threads.add("task " + i, () -> {
                twice.compareAndSet(false, !inside.compareAndSet(false, true));
                mySeen.set(mine.get());
                inside.set(false);
                return Long.MAX_VALUE;
            }));
        }
        Thread[] wakers = new Thread[3];
        for (int w = 0; w < wakers.length; w++) {
            int from = w;
            wakers[w] = new Thread(() -> {
                for (int turn = 0; turn < turns; turn++) {
                    int i = (turn + from) % count;
                    asked[i].incrementAndGet();
                    tasks.get(i).wake();
                }
            });
            wakers[w].start();
        }
        for (Thread waker : wakers) {
            waker.join();
        }
        for (int i = 0; i < count; i++) {
            int at = i;
            Waiting.whileTrue(() -> seen[at].get() != asked[at].get());
        }
        tasks.forEach(SharedThreads.Task::end);
        assertFalse(twice.get(), "two threads ran one task");
    }

    /** The dispatcher may not yet have gone on when the new thread has already looked. */
    @Test
    void whatIsWokenAsSoonAsANewThreadHasLookedIsRunAgain() {
        for (int i = 0; i < 300; i++) {
            SharedThreads fresh = new SharedThreads(SharedThreads.usualWorkers()); // has no thread yet
            AtomicInteger asked = new AtomicInteger();
            AtomicInteger seen = new AtomicInteger(-1);
            SharedThreads.Task task = fresh.add("task", () -> {
                seen.set(asked.get());
                return Long.MAX_VALUE;
            });
            task.wake();
            while (seen.get() < 0) {
                Thread.onSpinWait();
            }
            asked.set(1);
            task.wake();
            Waiting.whileTrue(() -> seen.get() != 1);
            task.end();
        }
    }

    /** Whatever some tasks wait for, and be it others that wait for a thread, these go on. */
    @Test
    void tasksThatWaitForOthersGetThemRun() {
        int waiting = 12; // more than there are threads at first
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(waiting);
        List<SharedThreads.Task> tasks = new ArrayList<>();
        for (int i = 0; i < waiting; i++) {
            SharedThreads.Task task = threads.add("waits " + i, () -> {
                Waiting.until(released);
                ended.countDown();
                return Long.MAX_VALUE;
            });
            tasks.add(task);
            task.wake();
        }
        SharedThreads.Task last = threads.add("releases", () -> {
            released.countDown();
            return Long.MAX_VALUE;
        });
        last.wake();
        Waiting.until(ended);
        last.end();
        tasks.forEach(SharedThreads.Task::end);
    }

    @Test
    void manyTasksThatAreShortHaveFewThreads() {
        int count = 200;
        CountDownLatch ran = new CountDownLatch(count);
        List<SharedThreads.Task> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            AtomicBoolean first = new AtomicBoolean(true);
            tasks.add(threads.add("short " + i, () -> {
                if (first.getAndSet(false)) {
                    ran.countDown();
                }
                return Long.MAX_VALUE;
            }));
        }
        tasks.forEach(SharedThreads.Task::wake);
        Waiting.until(ran);
        int most = Math.max(4, Runtime.getRuntime().availableProcessors() + 1);
        assertTrue(threads.workerCount() <= most + 2, threads.toString()); // two where the machine stood still
        tasks.forEach(SharedThreads.Task::end);
        Waiting.whileTrue(() -> threads.workerCount() > 0);
    }

    /** A caller who waits for one store does not wait for what all the others have to do. */
    @Test
    void aTaskThatACallerWaitsForHasAThreadBeforeAllOthers() {
        int count = 200;
        CountDownLatch released = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        List<SharedThreads.Task> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(threads.add("long " + i, () -> {
                begun.incrementAndGet();
                Waiting.until(released);
                return Long.MAX_VALUE;
            }));
        }
        tasks.forEach(SharedThreads.Task::wake);
        Waiting.whileTrue(() -> !threads.areScarce());
        CountDownLatch ran = new CountDownLatch(1);
        SharedThreads.Task urgent = threads.add("urgent", () -> {
            ran.countDown();
            return Long.MAX_VALUE;
        });
        urgent.wakeFirst();
        Waiting.until(ran);
        int before = begun.get();
        released.countDown();
        assertTrue(before < count, before + " began before the one that was waited for");
        urgent.end();
        tasks.forEach(SharedThreads.Task::end);
    }

    @Test
    void tasksThatAlwaysHaveMoreToDoGiveWayToEachOther() {
        int count = 30;
        CountDownLatch turns = new CountDownLatch(3 * count);
        List<SharedThreads.Task> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            AtomicInteger left = new AtomicInteger(3);
            tasks.add(threads.add("endless " + i, () -> {
                if (left.getAndDecrement() > 0) {
                    turns.countDown();
                }
                while (turns.getCount() > 0 && !threads.areScarce()) {
                    Thread.yield();
                }
                return turns.getCount() > 0 ? 0 : Long.MAX_VALUE;
            }));
        }
        tasks.forEach(SharedThreads.Task::wake);
        Waiting.until(turns);
        int most = Math.max(4, Runtime.getRuntime().availableProcessors() + 1);
        assertTrue(threads.workerCount() <= most + 2, threads.toString()); // two where the machine stood still
        tasks.forEach(SharedThreads.Task::end);
    }

    @Test
    void aTaskThatIsInterruptedInterruptsNoOther() {
        AtomicInteger interrupted = new AtomicInteger();
        for (int i = 0; i < 20; i++) {
            CountDownLatch ran = new CountDownLatch(1);
            SharedThreads.Task task = threads.add("interrupts itself", () -> {
                interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
                Thread.currentThread().interrupt();
                ran.countDown();
                return Long.MAX_VALUE;
            });
            task.wake();
            Waiting.until(ran);
            task.end();
        }
        assertEquals(0, interrupted.get());
    }

    @Test
    void aTaskThatFailsHarmsNoOther() {
        CountDownLatch ran = new CountDownLatch(1);
        SharedThreads.Task fails = threads.add("fails, for a test", () -> {
            throw new IllegalStateException("for a test");
        });
        fails.wake();
        SharedThreads.Task other = threads.add("goes on", () -> {
            ran.countDown();
            return Long.MAX_VALUE;
        });
        other.wake();
        Waiting.until(ran);
        fails.end();
        other.end();
    }
}
