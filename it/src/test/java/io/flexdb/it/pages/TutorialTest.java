package io.flexdb.it.pages;

import static io.flexdb.it.pages.OrderService.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.Durability;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import io.flexdb.FlexDBOptions;
import io.flexdb.WriteOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of {@code docs/tutorial.md} that is not of the {@link OrderService}. */
class TutorialTest {
    @TempDir
    private Path directory;

    @Test
    void writesAreOnDiskWhenTheyReturnOrWhenTheyAreWaitedFor() {
        byte[] key = bytes("order");
        byte[] value = bytes("paid");
        try (FlexDB db = FlexDB.open(directory)) {
            db.put(key, value, WriteOptions.durability(Durability.SYNC)); // on disk when it returns
            assertEquals(1, db.durableSequence());
            long sequence = db.put(key, value);
            db.awaitDurable(sequence); // or db.whenDurable(sequence), a future
            assertTrue(db.durableSequence() >= sequence);
        }
    }

    @Test
    void sessionsEndByTheClockOfTheTest() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        FlexDBOptions options = FlexDBOptions.defaults().withClock(now::get);
        try (OrderService service = new OrderService(directory, options)) {
            String token = service.login("ann");
            assertEquals("ann", service.customer(token));
            now.updateAndGet(time -> time.plus(Duration.ofMinutes(31)));
            assertNull(service.customer(token));
        }
    }

    @Test
    void backupsOfAStoreInUse() {
        try (FlexDB db = FlexDB.open(directory.resolve("store"))) {
            Path place = directory.resolve("backups");
            try (FlexDBBackups backups = FlexDBBackups.open(place)) {
                backups.create(db); // copies what is new since the last one
                backups.keepLast(7);
                assertEquals(List.of(), backups.verify(backups.list().get(0).id()));
            }
        }
    }
}
