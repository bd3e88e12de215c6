package io.flexdb.it.pages;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.FlexDB;
import io.flexdb.KeyValue;
import io.flexdb.Keyspace;
import io.flexdb.KeyspaceOptions;
import io.flexdb.ReadOptions;
import io.flexdb.ReadView;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flextree.FlexTree;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** The code of {@code docs/recipes.md}, which shows each class as it stands here. */
final class Recipes {
    private Recipes() {}

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, UTF_8);
    }

    static byte[] bytes(long number) {
        return ByteBuffer.allocate(8).putLong(number ^ Long.MIN_VALUE).array();
    }

    static long number(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong(bytes.length - 8) ^ Long.MIN_VALUE;
    }

    static byte[] bytes(String text, long number) {
        byte[] name = bytes(text + "\0");
        return ByteBuffer.allocate(name.length + 8).put(name).put(bytes(number)).array();
    }

    static long numberAt(ReadView view, String key) {
        byte[] number = view.get(bytes(key));
        return number == null ? 0 : number(number);
    }

    static long lastNumber(Keyspace keyspace) {
        try (Stream<KeyValue> last =
                keyspace.stream(ReadOptions.defaults().withReverse(true).withLimit(1))) {
            return last.findFirst().map(pair -> number(pair.key())).orElse(0L);
        }
    }

    static final class SessionStore {
        private final FlexDB db;
        private final Keyspace sessions; // user:random -> data

        SessionStore(FlexDB db, Duration timeToLive) {
            this.db = db;
            sessions = db.createKeyspaceIfAbsent("sessions", KeyspaceOptions.timeToLive(timeToLive));
        }

        String begin(String user, String data) {
            String id = user + ":" + UUID.randomUUID();
            sessions.put(bytes(id), bytes(data));
            return id;
        }

        /** The session's data, null if it ended; its time begins anew. */
        String use(String id) {
            return db.transact(transaction -> {
                byte[] data = transaction.in(sessions).get(bytes(id));
                if (data != null) {
                    transaction.in(sessions).put(bytes(id), data);
                }
                return text(data);
            });
        }

        void endAll(String user) {
            sessions.deleteRange(bytes(user + ":"), bytes(user + ";")); // ';' is the next character
        }
    }

    static final class EventLog {
        private final FlexDB db;
        private final Keyspace events; // number -> event
        private long last;

        EventLog(FlexDB db, String name) {
            this.db = db;
            events = db.createKeyspaceIfAbsent(name);
            last = lastNumber(events);
        }

        /** Returns when the event is on disk. */
        void append(String event) {
            long sequence;
            synchronized (this) { // events become visible in order: no reader passes one that is still to come
                sequence = events.put(bytes(last + 1), bytes(event));
                last++;
            }
            db.awaitDurable(sequence); // appenders share a force
        }

        void readAfter(long number, int limit, BiConsumer<Long, String> reader) {
            events.forEach(
                    ReadOptions.defaults().withLowerBound(bytes(number), false).withLimit(limit),
                    (key, event) -> reader.accept(number(key), text(event)));
        }

        synchronized void forgetBefore(long number) {
            events.deleteRange(null, bytes(Math.min(number, last))); // the last one tells the next number
        }
    }

    static final class TimeSeries {
        private final Keyspace points; // name, 0, milliseconds -> value

        TimeSeries(FlexDB db) {
            points = db.createKeyspaceIfAbsent("points");
        }

        void add(String name, Instant time, double value) {
            points.put(
                    bytes(name, time.toEpochMilli()),
                    ByteBuffer.allocate(8).putDouble(value).array());
        }

        Map<Instant, Double> between(String name, Instant from, Instant to) {
            Map<Instant, Double> found = new TreeMap<>();
            points.forEach(
                    ReadOptions.defaults()
                            .withLowerBound(bytes(name, from.toEpochMilli()))
                            .withUpperBound(bytes(name, to.toEpochMilli())),
                    (key, value) -> found.put(
                            Instant.ofEpochMilli(number(key)),
                            ByteBuffer.wrap(value).getDouble()));
            return found;
        }

        void forgetBefore(String name, Instant time) {
            points.deleteRange(bytes(name, Long.MIN_VALUE), bytes(name, time.toEpochMilli()));
        }
    }

    static final class WorkQueue {
        private final FlexDB db;
        private final Keyspace ready; // number -> job
        private final Keyspace taken; // the same
        private long last;

        WorkQueue(FlexDB db) {
            this.db = db;
            ready = db.createKeyspaceIfAbsent("ready");
            taken = db.createKeyspaceIfAbsent("taken");
            last = Math.max(lastNumber(ready), lastNumber(taken));
            WriteBatch again = new WriteBatch(); // what was under way when the process ended
            taken.forEach((number, job) -> again.in(ready).put(number, job));
            again.in(taken).deleteAll();
            db.write(again);
        }

        synchronized void add(String job) {
            ready.put(bytes(++last), bytes(job));
        }

        synchronized Optional<KeyValue> take() {
            try (Stream<KeyValue> jobs = ready.stream(ReadOptions.defaults().withLimit(1))) {
                Optional<KeyValue> job = jobs.findFirst();
                job.ifPresent(it -> db.write(
                        new WriteBatch().in(ready).delete(it.key()).in(taken).put(it.key(), it.value())));
                return job;
            }
        }

        void done(KeyValue job) {
            taken.delete(job.key());
        }
    }

    static final class Users {
        private final FlexDB db;
        private final Keyspace mails; // user -> mail
        private final Keyspace byMail; // mail -> user

        Users(FlexDB db) {
            this.db = db;
            mails = db.createKeyspaceIfAbsent("mails");
            byMail = db.createKeyspaceIfAbsent("users by mail");
        }

        /** Sets a user's mail address; false if it is somebody else's. */
        boolean setMail(long user, String mail) {
            return db.transact(transaction -> {
                byte[] owner = transaction.in(byMail).get(bytes(mail));
                if (owner != null) {
                    return number(owner) == user;
                }
                byte[] old = transaction.in(mails).get(bytes(user));
                if (old != null) {
                    transaction.in(byMail).delete(old);
                }
                transaction.in(mails).put(bytes(user), bytes(mail));
                transaction.in(byMail).put(bytes(mail), bytes(user));
                return true;
            });
        }

        OptionalLong find(String mail) {
            byte[] user = byMail.get(bytes(mail));
            return user == null ? OptionalLong.empty() : OptionalLong.of(number(user));
        }
    }

    static final class Cache {
        private final Keyspace pages;
        private final WriteOptions options;

        Cache(FlexDB db, Duration timeToLive) {
            pages = db.createKeyspaceIfAbsent("cached pages");
            options = WriteOptions.timeToLive(timeToLive);
        }

        String get(String name, Function<String, String> load) {
            byte[] cached = pages.get(bytes(name));
            if (cached != null) {
                return text(cached);
            }
            String loaded = load.apply(name);
            pages.put(bytes(name), bytes(loaded), options);
            return loaded;
        }

        void forgetAll() {
            pages.deleteAll();
        }
    }

    static final class Accounts {
        private final FlexDB db;
        private final Keyspace balances; // name -> amount
        private final Keyspace outbox; // number -> message
        private final Keyspace counters; // "messages" -> the last number

        Accounts(FlexDB db) {
            this.db = db;
            balances = db.createKeyspaceIfAbsent("balances");
            outbox = db.createKeyspaceIfAbsent("outbox");
            counters = db.createKeyspaceIfAbsent("counters");
        }

        void pay(String name, long amount) {
            db.transactWithoutResult(transaction -> {
                long balance = numberAt(transaction.in(balances), name) + amount;
                long message = numberAt(transaction.in(counters), "messages") + 1;
                transaction.in(balances).put(bytes(name), bytes(balance));
                transaction.in(outbox).put(bytes(message), bytes(name + " has " + balance));
                transaction.in(counters).put(bytes("messages"), bytes(message));
            });
        }

        synchronized void relay(BiConsumer<Long, String> sender) {
            outbox.forEach((number, message) -> {
                sender.accept(number(number), text(message)); // throws if it was not sent
                outbox.delete(number);
            });
        }
    }

    static final class TextFile implements AutoCloseable {
        private final FlexSpace space;

        TextFile(Path directory) {
            space = FlexSpace.open(directory); // a directory of its own, not that of a store
        }

        void insert(long at, String text) {
            space.insertRange(at, ByteBuffer.wrap(bytes(text))); // what follows shifts
        }

        void remove(long at, long length) {
            space.collapseRange(at, length);
        }

        String read() {
            ByteBuffer all = ByteBuffer.allocate((int) space.size());
            space.read(0, all);
            return text(all.array());
        }

        void save() {
            space.sync(); // all changes before it are on disk
        }

        @Override
        public void close() {
            space.close();
        }
    }

    static final class PieceTable {
        private final FlexTree pieces = new FlexTree(); // place in the text -> place in added
        private final StringBuilder added = new StringBuilder(); // all that was ever inserted

        void insert(long at, String text) {
            pieces.insertRange(at, text.length(), added.length());
            added.append(text);
        }

        void remove(long at, long length) {
            pieces.collapseRange(at, length);
        }

        String read() {
            StringBuilder text = new StringBuilder();
            pieces.query(0, pieces.size(), (at, length, address, flags) -> {
                text.append(added, (int) address, (int) (address + length));
            });
            return text.toString();
        }
    }
}
