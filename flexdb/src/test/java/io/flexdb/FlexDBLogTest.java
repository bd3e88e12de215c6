package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lines of openings and closes, which nobody sees who has not asked for them. */
class FlexDBLogTest {
    private final Logger logger = Logger.getLogger("io.flexdb");
    private final List<LogRecord> records = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            records.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void listenNoMore() {
        logger.removeHandler(handler);
        logger.setLevel(null);
    }

    @Test
    void aNormalUseLogsNothingUnlessAskedTo() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        store.put(new byte[1], new byte[10]);
        store.reopen("closed");
        store.db.close();
        assertEquals(List.of(), records);
    }

    @Test
    void openingsAndClosesAreALineEach() {
        logger.setLevel(Level.FINE);
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        store.put(new byte[1], new byte[10]);
        store.db.sync();
        store.kill("killed");
        store.reopen("closed");
        store.db.close();
        List<String> lines = records.stream()
                .filter(line -> line.getMessage().contains("the store in"))
                .peek(line -> assertEquals(Level.FINE, line.getLevel()))
                .map(LogRecord::getMessage)
                .toList();
        assertEquals(5, lines.size(), lines::toString);
        assertLine(
                lines.get(0),
                "Opened the store in /store with FlexDB unknown in ",
                " ms: format 6, 0 bytes in ",
                "new");
        assertLine(lines.get(1), "Opened", "recovered from a crash, 1 writes of 14 bytes replayed");
        assertLine(lines.get(2), "Closed the store in /store: last sequence number 1, all writes committed");
        assertLine(lines.get(3), "Opened", "intervals, closed before");
        assertLine(lines.get(4), "Closed");
    }

    private static void assertLine(String line, String... parts) {
        for (String part : parts) {
            assertTrue(line.contains(part), line);
        }
    }
}
