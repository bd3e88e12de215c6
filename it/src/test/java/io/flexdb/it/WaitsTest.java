package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A thread that waits for another one parks until that one wakes it: by {@code Waiter}, {@code EventCount}, {@code
 * Monitor}, a lock, or a latch. Code that parks by itself, spins, yields, or waits for a time is in the list below,
 * with the reason. A new one takes a reason as good as these: it does not look again and again whether something has
 * come true, and an interrupt does not keep it from waiting.
 */
class WaitsTest {
    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");
    private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\\\n]|\\\\.)*\"");
    private static final String TIME = "(?:nanos|millis|rest\\b|left\\b|TimeUnit|Duration)";
    private static final Pattern WAIT = Pattern.compile("LockSupport\\.park\\w*"
            + "|Thread(?:\\.|::)yield"
            + "|onSpinWait"
            + "|\\bsleep(?=\\()"
            + "|Pause\\.nanos"
            + "|(?<![\\w.])wait(?=\\(\\))|\\.wait(?=\\()|timedWait"
            + "|awaitNanos|awaitUntil|awaitTermination|tryAcquire\\w*Nanos|tryLock"
            + "|\\.(?:await|join|poll|offer|acquire|exchange)(?=\\([^;{]*?(?i:" + TIME + "))");

    /** By class and call: how often, and why. */
    private static final Map<String, String> ALLOWED = new TreeMap<>(Map.ofEntries(
            // The primitives
            allow("Waiter LockSupport.park", 1, "what all waits end in; keeps interrupts, in a loop around its state"),
            allow("Waiter LockSupport.parkNanos", 2, "the same with a limit; the first use, for a heap that gets full"),
            allow("Pause LockSupport.parkNanos", 1, "lets time pass; keeps interrupts"),
            allow("Monitor tryAcquireNanos", 1, "makes the queue of the lock when the lock is made"),
            allow("Monitor awaitNanos", 1, "the condition's wait with a limit; keeps interrupts"),
            // Some hundred nanoseconds before parking
            allow("VisibleSequence onSpinWait", 1, "8 times: the predecessor's last steps take as long"),
            allow("FlexSpaceAccess onSpinWait", 1, "16 times: a short change ends in that time"),
            // Optimistic concurrency: each turn means that another thread has changed a node
            allow("KeyTree onSpinWait", 2, "a writer changes this node, a matter of some stores; or an insert again"),
            allow(
                    "KeyTree Thread.yield",
                    1,
                    "that writer has lost its processor, and nobody could wake those who wait"),
            // Time itself is what is waited for
            allow("IntervalCache tryLock", 1, "asks once: whoever is asked to give memory back does not wait"),
            allow(
                    "SharedMemory Pause.nanos",
                    2,
                    "no memory: neither the collector nor reads tell what they have freed"),
            allow("DirectMemory Pause.nanos", 1, "no memory: the collector does not tell what it has freed"),
            allow("EventCount Pause.nanos", 1, "no memory: nobody tells when there is some"),
            allow("StripedPool Pause.nanos", 1, "no memory: nobody tells when there is some"),
            allow("Monitor Pause.nanos", 1, "no memory: nobody tells when there is some"),
            allow("CommitThread Pause.nanos", 1, "no memory at the end: nobody tells when there is some"),
            allow("Upkeep Pause.nanos", 1, "50 looks after a commit at most, which others don't wait for"),
            allow("LogThread Pause.nanos", 1, "a memtable that a read holds, by a thread that no other task waits for"),
            allow("WritePacer Pause.nanos", 1, "holds a write back for a time; some looks, each after twice as long"),
            allow("CommitTurns Pause.nanos", 1, "once, by a write that leaves its processor to the commit thread"),
            allow("CommitTurns Thread::yield", 1, "once a turn, by the commit thread, which waits for nothing"),
            allow("FlexDB Pause.nanos", 1, "a random time after a conflict"),
            allow("TreeStore LockSupport.parkNanos", 1, "the same where only the public interface is known"),
            allow(
                    "SharedThreads .await",
                    2,
                    "threads of ours: one gives out work at known times, others end; woken for all other work"),
            allow("Scrubber timedWait", 1, "a thread of ours that keeps its pace; woken to end"),
            allow("Refiner timedWait", 1, "a thread of ours that rests between reads; woken to end"),
            allow("Refiner wait", 1, "a thread of ours; woken by notifyAll"),
            allow("Health .join", 1, "an end of a store waits a second at most for the user's listener"),
            // An end that comes by itself
            allow("IndexSampler awaitTermination", 1, "threads that end; by the one that opens the store"),
            allow("Phase .await", 1, "prints how far a run is; a program of its own"),
            // No wait at all
            allow("DeadRuns tryLock", 2, "who does not get it walks on and asks again later"),
            allow("FlexSpaceAccess tryLock", 1, "once after each signal of an event"),
            allow("FileLocks tryLock", 1, "once, for a lock between processes"),
            allow("FlexChannel tryLock", 2, "its own method: what another channel has locked is refused at once"),
            allow("LockFile tryLock", 6, "once each, for a lock between processes"),
            allow("MapDbDriver tryLock", 1, "once, for the lock of who writes a file of MapDB"),
            allow("LockFile Pause.nanos", 1, "a few times; another process can't tell that it has let go of a byte")));

    private static Map.Entry<String, String> allow(String what, int count, String reason) {
        assertFalse(reason.isBlank());
        return Map.entry(what, String.valueOf(count));
    }

    @Test
    void nothingWaitsInAWayThatIsNotListed() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        List<Path> sources = Sources.files()
                .filter(path -> path.toString().replace('\\', '/').contains("/src/main/java/"))
                .filter(path -> !path.toString().replace('\\', '/').contains("/jmh/"))
                .toList();
        assertTrue(sources.size() > 300, sources.size() + " sources");
        for (Path path : sources) {
            String name = path.getFileName().toString().replace(".java", "");
            for (String wait : waitsIn(Files.readString(path))) {
                found.merge(name + " " + wait, 1, Integer::sum);
            }
        }
        Map<String, String> counts = new TreeMap<>();
        found.forEach((what, count) -> counts.put(what, String.valueOf(count)));
        assertEquals(lines(ALLOWED), lines(counts));
    }

    private static List<String> waitsIn(String source) {
        String code = STRING.matcher(COMMENT.matcher(source).replaceAll("")).replaceAll("");
        return WAIT.matcher(code).results().map(found -> found.group()).toList();
    }

    private static String lines(Map<String, String> counts) {
        StringBuilder lines = new StringBuilder();
        counts.forEach(
                (what, count) -> lines.append(what).append(" x ").append(count).append('\n'));
        return lines.toString();
    }

    @Test
    void allWaysToWaitAreFound() {
        String source = """
                // LockSupport.park() in a comment, and /* Thread.sleep(1) */
                LockSupport.parkNanos(this, 5); LockSupport.park(); Thread.yield(); run(Thread::yield); Thread.onSpinWait();
                TimeUnit.SECONDS.sleep(1); wait(); lock.wait(5); latch.await(1, TimeUnit.SECONDS); thread.join(leftMillis);
                lock.tryLock(); Pause.nanos(5); condition.awaitNanos(5); monitor.await(rest);
                latch.await(); thread.join(); String.join(", ", names); print("Thread.sleep(1)");
                """;
        assertEquals(
                List.of(
                        "LockSupport.parkNanos",
                        "LockSupport.park",
                        "Thread.yield",
                        "Thread::yield",
                        "onSpinWait",
                        "sleep",
                        "wait",
                        ".wait",
                        ".await",
                        ".join",
                        "tryLock",
                        "Pause.nanos",
                        "awaitNanos",
                        ".await"),
                waitsIn(source));
    }
}
