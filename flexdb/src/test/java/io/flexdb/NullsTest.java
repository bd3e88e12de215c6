package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Null where a parameter is not annotated as nullable gives a NullPointerException and changes nothing. */
class NullsTest {
    private static final byte[] KEY = "key".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path directory;

    @Test
    void nullIsRefusedWhereItMeansNothing() throws Exception {
        List<String> wrong = new ArrayList<>();
        int tried = 0;
        try (FlexDB db = FlexDB.open(directory.resolve("store"))) {
            db.put(KEY, KEY);
            Keyspace other = db.createKeyspaceIfAbsent("other");
            long sequence = db.stats().lastSequence();
            try (Snapshot snapshot = db.snapshot();
                    Transaction transaction = db.begin();
                    FlexCursor cursor = db.cursor();
                    FlexDBReader reader = FlexDB.openReadOnly(directory.resolve("store"))) {
                WriteBatch batch = new WriteBatch();
                List<Object> receivers = List.of(
                        db,
                        other,
                        snapshot,
                        transaction,
                        cursor,
                        reader,
                        batch,
                        ReadOptions.defaults(),
                        WriteOptions.defaults(),
                        FlexDBOptions.defaults());
                for (Object receiver : receivers) {
                    for (Method method : receiver.getClass().getMethods()) {
                        tried += sweep(receiver, method, wrong);
                    }
                }
                assertEquals(0, batch.size(), "a batch that was given null");
            }
            assertTrue(tried > 100, () -> "only some parameters were tried");
            assertEquals(List.of(), wrong);
            assertEquals(sequence, db.stats().lastSequence(), "nothing was written");
        }
    }

    private int sweep(Object receiver, Method method, List<String> wrong) throws Exception {
        if (!method.getDeclaringClass().getName().startsWith("io.flexdb.")
                || method.getName().equals("equals")) {
            return 0;
        }
        int tried = 0;
        Class<?>[] types = method.getParameterTypes();
        for (int at = 0; at < types.length; at++) {
            if (types[at].isPrimitive() || isNullable(method.getAnnotatedParameterTypes()[at])) {
                continue;
            }
            Object[] arguments = new Object[types.length];
            for (int i = 0; i < types.length; i++) {
                arguments[i] = i == at ? null : sample(types[i]);
            }
            tried++;
            Throwable thrown = thrownBy(receiver, method, arguments);
            if (!(thrown instanceof NullPointerException)) {
                wrong.add(method + ", parameter " + at + ": " + thrown);
            }
        }
        return tried;
    }

    private static boolean isNullable(AnnotatedType type) {
        return type.isAnnotationPresent(Nullable.class);
    }

    private static Throwable thrownBy(Object receiver, Method method, Object[] arguments)
            throws IllegalAccessException {
        try {
            method.invoke(Modifier.isStatic(method.getModifiers()) ? null : receiver, arguments);
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        }
    }

    /** Something of a type, as a user would give it. */
    private Object sample(Class<?> type) {
        if (type == byte[].class) {
            return KEY.clone();
        } else if (type == ByteBuffer.class) {
            return ByteBuffer.allocateDirect(8);
        } else if (type == String.class) {
            return "other";
        } else if (type == Path.class) {
            return directory.resolve("else");
        } else if (type == List.class || type == java.util.Collection.class) {
            return List.of();
        } else if (type == Map.class) {
            return Map.of();
        } else if (type == Properties.class) {
            return new Properties();
        } else if (type == Instant.class) {
            return Instant.MAX;
        } else if (type == Duration.class) {
            return Duration.ofDays(1);
        } else if (type == Clock.class) {
            return Clock.systemUTC();
        } else if (type == Stream.class) {
            return Stream.empty();
        } else if (type == ReadableByteChannel.class) {
            return Channels.newChannel(java.io.InputStream.nullInputStream());
        } else if (type == ReadOptions.class) {
            return ReadOptions.defaults();
        } else if (type == WriteOptions.class) {
            return WriteOptions.defaults();
        } else if (type == FlexDBOptions.class) {
            return FlexDBOptions.defaults();
        } else if (type == KeyspaceOptions.class) {
            return KeyspaceOptions.defaults();
        } else if (type == boolean.class) {
            return false;
        } else if (type == int.class) {
            return 0;
        } else if (type == long.class) {
            return 1L;
        } else if (type == double.class) {
            return 0.5;
        } else if (type.isEnum()) {
            return type.getEnumConstants()[0];
        } else if (type.isInterface()) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, called, given) -> null);
        }
        return null;
    }
}
