package io.flexdb.internal.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.Health;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When the task that makes logs is woken: at once, or in a moment, unless somebody hurries. */
class LogRequestsTest {
    private final WriteMonitor monitor =
            new WriteMonitor(new Health("the store", Path.of("/store"), null), () -> {}, () -> {});
    private final LogRequests requests = new LogRequests(monitor);
    private final List<String> woken = new ArrayList<>();

    private void locked(Runnable action) {
        monitor.lock();
        try {
            action.run();
        } finally {
            monitor.unlock();
        }
    }

    private void begin() {
        locked(() -> requests.task(() -> woken.add("now"), () -> woken.add("soon")));
    }

    @Test
    void theFirstOneMayWaitAMoment() {
        begin();
        locked(requests::wantSoon);
        locked(requests::wantSoon);
        assertEquals(List.of("soon"), woken);
        assertTrue(requests.beginWanted());
        assertFalse(requests.beginWanted());
        requests.hurry(); // it is under way
        assertEquals(List.of("soon"), woken);
    }

    @Test
    void whoeverIsHeldBackHurries() {
        begin();
        requests.hurry(); // nothing is wanted
        assertEquals(List.of(), woken);
        locked(requests::wantSoon);
        requests.hurry();
        requests.hurry();
        assertEquals(List.of("soon", "now"), woken);
        assertTrue(requests.beginWanted());
    }

    @Test
    void whoeverWaitsForOneNeedsItNow() {
        begin();
        locked(requests::wantSoon);
        locked(() -> {
            requests.want();
            requests.want();
            assertNull(requests.refusalSince(0), "one is to come");
        });
        assertEquals(List.of("soon", "now"), woken);
    }

    @Test
    void whatWasWantedBeforeTheTaskBeganIsMadeAtOnce() {
        locked(requests::wantSoon);
        begin();
        assertEquals(List.of("now"), woken);
    }
}
