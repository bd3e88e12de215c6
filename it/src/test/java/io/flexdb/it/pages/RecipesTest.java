package io.flexdb.it.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.KeyValue;
import io.flexdb.it.pages.Recipes.Accounts;
import io.flexdb.it.pages.Recipes.Cache;
import io.flexdb.it.pages.Recipes.EventLog;
import io.flexdb.it.pages.Recipes.PieceTable;
import io.flexdb.it.pages.Recipes.SessionStore;
import io.flexdb.it.pages.Recipes.TextFile;
import io.flexdb.it.pages.Recipes.TimeSeries;
import io.flexdb.it.pages.Recipes.Users;
import io.flexdb.it.pages.Recipes.WorkQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each recipe of {@code docs/recipes.md} does what the page says. */
class RecipesTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path directory;

    private final AtomicReference<Instant> now = new AtomicReference<>(BEGIN);
    private FlexDB db;

    @BeforeEach
    void open() {
        db = FlexDB.open(directory.resolve("store"), FlexDBOptions.defaults().withClock(now::get));
    }

    @AfterEach
    void close() {
        db.close();
    }

    private void reopen() {
        close();
        open();
    }

    private void pass(Duration time) {
        now.updateAndGet(instant -> instant.plus(time));
    }

    @Test
    void aSessionLivesWhileItIsUsed() {
        SessionStore sessions = new SessionStore(db, Duration.ofMinutes(30));
        String id = sessions.begin("ann", "a cart");
        pass(Duration.ofMinutes(20));
        assertEquals("a cart", sessions.use(id));
        pass(Duration.ofMinutes(20));
        assertEquals("a cart", sessions.use(id));
        pass(Duration.ofMinutes(31));
        assertNull(sessions.use(id));
    }

    @Test
    void allSessionsOfAUserEndAtOnce() {
        SessionStore sessions = new SessionStore(db, Duration.ofMinutes(30));
        List<String> ids = List.of(sessions.begin("ann", "at home"), sessions.begin("ann", "at work"));
        String other = sessions.begin("anna", "of somebody else");
        sessions.endAll("ann");
        ids.forEach(id -> assertNull(sessions.use(id)));
        assertEquals("of somebody else", sessions.use(other));
    }

    @Test
    void eventsAreReadInOrderFromAnyPlace() {
        EventLog log = new EventLog(db, "log");
        IntStream.rangeClosed(1, 5).forEach(i -> log.append("event " + i));
        List<String> read = new ArrayList<>();
        log.readAfter(2, 2, (number, event) -> read.add(number + " " + event));
        assertEquals(List.of("3 event 3", "4 event 4"), read);
        log.forgetBefore(100);
        reopen();
        EventLog again = new EventLog(db, "log");
        again.append("event 6");
        read.clear();
        again.readAfter(0, 100, (number, event) -> read.add(number + " " + event));
        assertEquals(List.of("5 event 5", "6 event 6"), read);
    }

    @Test
    void noReaderPassesAnEventThatIsStillToCome() {
        EventLog log = new EventLog(db, "log");
        int events = 200;
        Thread appender =
                new Thread(() -> IntStream.range(0, events).parallel().forEach(i -> log.append("event " + i)));
        appender.start();
        long last = 0;
        while (last < events) {
            List<Long> read = new ArrayList<>();
            log.readAfter(last, 50, (number, event) -> read.add(number));
            for (long number : read) {
                assertEquals(++last, number);
            }
        }
    }

    @Test
    void pointsOfATimeAreReadAndOldOnesForgotten() {
        TimeSeries series = new TimeSeries(db);
        Instant early = Instant.EPOCH.minusSeconds(60);
        List.of(early, BEGIN, BEGIN.plusSeconds(1)).forEach(time -> series.add("heat", time, time.getEpochSecond()));
        series.add("heating", BEGIN, 7);
        assertEquals(Map.of(early, -60.0), series.between("heat", Instant.EPOCH.minusSeconds(100), BEGIN));
        series.forgetBefore("heat", BEGIN.plusSeconds(1));
        double left = BEGIN.plusSeconds(1).getEpochSecond();
        assertEquals(Map.of(BEGIN.plusSeconds(1), left), series.between("heat", Instant.EPOCH, BEGIN.plusSeconds(9)));
        assertEquals(Map.of(BEGIN, 7.0), series.between("heating", Instant.EPOCH, BEGIN.plusSeconds(9)));
    }

    @Test
    void jobsAreTakenInOrderAndAgainAfterACrash() {
        WorkQueue queue = new WorkQueue(db);
        List.of("one", "two", "three").forEach(queue::add);
        KeyValue one = queue.take().orElseThrow();
        assertEquals("one", Recipes.text(one.value()));
        queue.done(one);
        assertEquals("two", Recipes.text(queue.take().orElseThrow().value()));
        reopen();
        WorkQueue again = new WorkQueue(db);
        again.add("four");
        for (String job : List.of("two", "three", "four")) {
            assertEquals(job, Recipes.text(again.take().orElseThrow().value()));
        }
        assertTrue(again.take().isEmpty());
    }

    @Test
    void aMailAddressHasOneUserAndLeadsToIt() {
        Users users = new Users(db);
        assertTrue(users.setMail(1, "ann@example.org"));
        assertFalse(users.setMail(2, "ann@example.org"));
        assertTrue(users.setMail(1, "ann@example.com"));
        assertTrue(users.setMail(1, "ann@example.com"));
        assertTrue(users.setMail(2, "ann@example.org"));
        assertEquals(OptionalLong.of(1), users.find("ann@example.com"));
        assertEquals(OptionalLong.of(2), users.find("ann@example.org"));
        assertEquals(OptionalLong.empty(), users.find("bob@example.org"));
    }

    @Test
    void oneOfManyUsersGetsAMailAddress() {
        Users users = new Users(db);
        long taken = IntStream.range(0, 50)
                .parallel()
                .filter(user -> users.setMail(user, "all@example.org"))
                .count();
        assertEquals(1, taken);
    }

    @Test
    void whatIsCachedIsLoadedOnceUntilItsTimeIsOver() {
        Cache cache = new Cache(db, Duration.ofMinutes(5));
        List<String> loaded = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            assertEquals("page a", cache.get("a", name -> {
                loaded.add(name);
                return "page " + name;
            }));
            if (i == 1) {
                pass(Duration.ofMinutes(6));
            }
        }
        assertEquals(List.of("a", "a"), loaded);
        cache.forgetAll();
        assertEquals("new", cache.get("a", name -> "new"));
    }

    @Test
    void aMessageIsKeptUntilItIsSent() {
        Accounts accounts = new Accounts(db);
        accounts.pay("ann", 10);
        accounts.pay("bob", 5);
        List<String> sent = new ArrayList<>();
        assertThrows(
                IllegalStateException.class,
                () -> accounts.relay((number, message) -> {
                    if (number == 2) {
                        throw new IllegalStateException("no network");
                    }
                    sent.add(number + " " + message);
                }));
        assertEquals(List.of("1 ann has 10"), sent);
        reopen();
        Accounts again = new Accounts(db);
        again.pay("ann", -3);
        again.relay((number, message) -> sent.add(number + " " + message));
        again.relay((number, message) -> sent.add(number + " " + message));
        assertEquals(List.of("1 ann has 10", "2 bob has 5", "3 ann has 7"), sent);
    }

    @Test
    void aTextOnDiskIsEditedInTheMiddle() {
        try (TextFile text = new TextFile(directory.resolve("text"))) {
            text.insert(0, "buy and plums");
            text.insert(4, "pears ");
            text.remove(10, 4);
            text.save();
        }
        try (TextFile again = new TextFile(directory.resolve("text"))) {
            assertEquals("buy pears plums", again.read());
        }
    }

    @Test
    void aTextInPiecesIsEditedInTheMiddle() {
        PieceTable text = new PieceTable();
        text.insert(0, "buy and plums");
        text.insert(4, "pears ");
        text.remove(10, 4);
        text.insert(15, "!");
        assertEquals("buy pears plums!", text.read());
    }
}
