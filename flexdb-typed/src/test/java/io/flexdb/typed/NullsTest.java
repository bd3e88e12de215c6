package io.flexdb.typed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.Snapshot;
import io.flexdb.Transaction;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Null where a parameter is not annotated as nullable gives a NullPointerException and changes nothing. */
class NullsTest {
    @TempDir
    Path directory;

    private final List<String> wrong = new ArrayList<>();
    private int tried;

    private FlexDB db;
    private FlexDBReader reader;
    private Snapshot snapshot;
    private Transaction transaction;
    private Index<String, String> index;

    @Test
    void nullIsRefusedWhereItMeansNothing() throws Exception {
        try (FlexDB store = Stores.open(directory.resolve("store"))) {
            db = store;
            index = Index.of("length", KeyCodec.strings(), text -> text);
            TypedKeyspace<String, String> names = TypedKeyspace.open(db, "names", KeyCodec.strings(), Codec.strings());
            IndexedKeyspace<String, String> indexed =
                    IndexedKeyspace.open(db, "indexed", KeyCodec.strings(), Codec.strings(), List.of(index));
            names.put("key", "value");
            WriteBatch batch = new WriteBatch();
            try (Snapshot open = db.snapshot();
                    FlexDBReader beside = FlexDB.openReadOnly(directory.resolve("store"), Stores.OPTIONS);
                    Transaction begun = db.begin();
                    TypedCursor<String, String> cursor = names.cursor();
                    TypedBulkLoad<String, String> load = names.bulkLoad()) {
                reader = beside;
                snapshot = open;
                transaction = begun;
                long sequence = db.stats().lastSequence();
                Tuple2Codec<String, String> two = KeyCodec.tuple(KeyCodec.strings(), KeyCodec.strings());
                for (Object receiver : List.of(
                        names,
                        names.in(open),
                        names.in(begun),
                        names.in(batch),
                        indexed,
                        cursor,
                        load,
                        KeyRange.<String>all(),
                        two)) {
                    sweep(receiver.getClass(), receiver);
                }
                for (Class<?> type : List.of(Codec.class, KeyCodec.class, Index.class, TypedView.class)) {
                    sweep(type, null);
                }
                assertEquals(0, batch.size(), "a batch that was given null");
                assertEquals(0, load.pairs(), "a load that was given null");
                assertEquals(sequence, db.stats().lastSequence(), "nothing was written");
            }
        }
        assertTrue(tried > 60, () -> "only " + tried + " parameters were tried");
        assertEquals(List.of(), wrong);
    }

    /** Tries all methods of an object, or the static ones of a type. */
    private void sweep(Class<?> type, @Nullable Object receiver) throws IllegalAccessException {
        for (Method method : type.getMethods()) {
            boolean isOurs = method.getDeclaringClass().getName().startsWith("io.flexdb.typed.");
            boolean isStatic = Modifier.isStatic(method.getModifiers());
            if (isOurs && !method.isBridge() && !method.getName().equals("equals") && (isStatic || receiver != null)) {
                tryNulls(receiver, method);
            }
        }
    }

    private void tryNulls(@Nullable Object receiver, Method method) throws IllegalAccessException {
        Class<?>[] types = method.getParameterTypes();
        for (int at = 0; at < types.length; at++) {
            if (types[at].isPrimitive()
                    || method.getAnnotatedParameterTypes()[at].isAnnotationPresent(Nullable.class)) {
                continue;
            }
            Object[] arguments = new Object[types.length];
            for (int i = 0; i < types.length; i++) {
                arguments[i] = i == at ? null : sample(types[i], method, i);
            }
            tried++;
            try {
                method.invoke(receiver, arguments);
                wrong.add(method + ", parameter " + at + ": nothing thrown");
            } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof NullPointerException)) {
                    wrong.add(method + ", parameter " + at + ": " + e.getCause());
                }
            }
        }
    }

    /** Something of a type, as a user would give it. */
    private Object sample(Class<?> type, Method method, int at) {
        if (type == Object.class || type == String.class) {
            return "key";
        } else if (type == byte[].class) {
            return new byte[] {'k'};
        } else if (type == Class.class) {
            return TimeUnit.class;
        } else if (type == List.class) {
            return method.getName().equals("open") ? List.of(index) : List.of("key");
        } else if (type == Codec.class) {
            return Codec.strings();
        } else if (type == KeyCodec.class) {
            return KeyCodec.strings();
        } else if (type == Comparator.class) {
            return Comparator.naturalOrder();
        } else if (type == KeyRange.class) {
            return KeyRange.all();
        } else if (type == Tuple2.class) {
            return Tuple2.of("a", "b");
        } else if (type == Duration.class) {
            return Duration.ofDays(1);
        } else if (type == WriteOptions.class) {
            return WriteOptions.defaults();
        } else if (type == WriteBatch.class) {
            return new WriteBatch();
        } else if (type == Snapshot.class) {
            return snapshot;
        } else if (type == Transaction.class) {
            return transaction;
        } else if (type == Index.class) {
            return index;
        } else if (type == FlexDBReader.class) {
            return reader;
        } else if (type == FlexDB.class) {
            return db;
        } else if (type == boolean.class) {
            return false;
        } else if (type == long.class) {
            return 1L;
        } else if (type.isInterface()) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, called, given) -> null);
        }
        throw new AssertionError("no sample of " + type + " for " + method + ", parameter " + at);
    }
}
