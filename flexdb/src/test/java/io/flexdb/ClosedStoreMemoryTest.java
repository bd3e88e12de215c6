package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.open.Store;
import io.flexdb.storage.StoreClosedException;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that users keep of a closed store keep none of its memory. */
class ClosedStoreMemoryTest {
    /** Fields and elements, from one object on. */
    private static final class Walk {
        private final Map<Object, String> found = new IdentityHashMap<>();
        private final Deque<Object> toDo = new ArrayDeque<>();
        private final List<String> memory = new ArrayList<>();

        List<String> from(Object start) throws IllegalAccessException {
            add(start, start.getClass().getSimpleName());
            while (!toDo.isEmpty()) {
                Object next = toDo.remove();
                String path = found.get(next);
                if (next instanceof ByteBuffer buffer && buffer.isDirect()
                        || next instanceof Store
                        || next instanceof MemTable) {
                    memory.add(path + ": " + next);
                } else {
                    goOn(next, path);
                }
            }
            return memory;
        }

        private void add(Object object, String path) {
            if (object != null && found.putIfAbsent(object, path) == null) {
                toDo.add(object);
            }
        }

        private void goOn(Object object, String path) throws IllegalAccessException {
            if (object instanceof Collection<?> many) {
                many.forEach(one -> add(one, path + "[]"));
            } else if (object instanceof Map<?, ?> map) {
                map.forEach((key, value) -> {
                    add(key, path + "{}");
                    add(value, path + "{}");
                });
            } else if (object instanceof Object[]) {
                for (int i = 0; i < Array.getLength(object); i++) {
                    add(Array.get(object, i), path + "[]");
                }
            } else if (object instanceof AtomicReference<?> reference) {
                add(reference.get(), path + ".get");
            } else if (object instanceof AtomicReferenceArray<?> array) {
                for (int i = 0; i < array.length(); i++) {
                    add(array.get(i), path + "[]");
                }
            } else if (!(object instanceof Thread)
                    && object.getClass().getName().startsWith("io.flexdb.")) {
                fields(object, path);
            }
        }

        private void fields(Object object, String path) throws IllegalAccessException {
            for (Class<?> type = object.getClass();
                    type != Object.class && type != Reference.class;
                    type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    boolean isOfJdk = type.getName().startsWith("java.");
                    if (!field.getType().isPrimitive() && !Modifier.isStatic(field.getModifiers()) && !isOfJdk) {
                        field.setAccessible(true);
                        add(field.get(object), path + "." + field.getName());
                    }
                }
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void nothingThatUsersKeepLeadsToIt(@TempDir Path directory) throws Exception {
        FlexDB db = FlexDB.open(directory.resolve("store"), StoreDriver.SMALL);
        Keyspace named = db.createKeyspace("named");
        for (int i = 0; i < 3000; i++) {
            named.put(bytes("key" + i), new byte[100]);
        }
        named.put(bytes("large"), new byte[100_000]);
        WriteBatch batch = new WriteBatch().in(named).put(bytes("b"), bytes("1"));
        db.write(batch);
        List<Object> kept = new ArrayList<>(List.of(db, named, batch, db.stats(), db.options(), db.health()));
        kept.add(db.whenDurable(named.put(bytes("later"), bytes("1"))));
        for (boolean closes : new boolean[] {true, false}) {
            Snapshot snapshot = db.snapshot();
            Snapshot inNamed = snapshot.in(named);
            FlexCursor cursor = named.cursor();
            cursor.seekToFirst();
            FlexCursor ofSnapshot = inNamed.cursor();
            ofSnapshot.seekToLast();
            ValueReader value = inNamed.openValue(bytes("large"));
            assertNotNull(value);
            assertEquals(10, value.read(ByteBuffer.allocate(10), 0));
            Transaction transaction = db.begin(Isolation.SERIALIZABLE);
            transaction.in(named).put(bytes("c"), bytes("1"));
            transaction.in(named).get(bytes("key1"));
            FlexCursor ofTransaction = transaction.in(named).cursor();
            ofTransaction.seekToFirst();
            ofTransaction.next();
            kept.addAll(List.of(snapshot, inNamed, cursor, ofSnapshot, value, transaction));
            kept.add(closes ? ofTransaction : inNamed); // an open one has its transaction's writes
            if (closes) {
                snapshot.close();
                cursor.close();
                ofSnapshot.close();
                value.close();
                transaction.close();
            }
        }
        kept.remove(kept.size() - 2); // the open transaction keeps what it has written itself
        db.close();
        for (Object one : kept) {
            assertEquals(List.of(), new Walk().from(one), one.getClass().getSimpleName());
        }
        for (Object one : kept) {
            if (one instanceof FlexCursor cursor) {
                assertThrows(StoreClosedException.class, cursor::next);
                assertThrows(StoreClosedException.class, () -> cursor.seek(bytes("key")));
                cursor.close();
            } else if (one instanceof Snapshot snapshot) {
                assertThrows(StoreClosedException.class, () -> snapshot.get(bytes("key")));
                assertThrows(StoreClosedException.class, snapshot::cursor);
                snapshot.close();
            } else if (one instanceof ValueReader value) {
                assertThrows(StoreClosedException.class, () -> value.read(ByteBuffer.allocate(10), 0));
                value.close();
            } else if (one instanceof Transaction transaction) {
                assertThrows(StoreClosedException.class, () -> transaction.get(bytes("key")));
                transaction.close();
            }
        }
    }
}
