package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A part of a file in memory that is forced and nothing else: nobody reads or writes there, so no fault of the medium
 * or of a file cut short can strike. For one thread, which closes it.
 */
final class MappedPart implements AutoCloseable {
    /*
     * A mapping keeps its file on the disk after it was deleted, and its file system from being unmounted. So it must
     * end when it is told to, for which there is an interface from JDK 22 on; earlier ones leave it to the garbage
     * collector. This is compiled for 17.
     */
    private static final int FIRST_JDK = 22;
    private static final AtomicBoolean READY = new AtomicBoolean();
    private static final Method NEW_ARENA = method("java.lang.foreign.Arena", "ofConfined");
    private static final Method MAP = NEW_ARENA == null
            ? null
            : method(
                    "java.nio.channels.FileChannel",
                    "map",
                    FileChannel.MapMode.class,
                    long.class,
                    long.class,
                    NEW_ARENA.getReturnType());
    private static final Method FORCE = method("java.lang.foreign.MemorySegment", "force");

    private final AutoCloseable arena;
    private final Object segment;

    private MappedPart(AutoCloseable arena, Object segment) {
        this.arena = arena;
        this.segment = segment;
    }

    private static Method method(String type, String name, Class<?>... parameters) {
        if (Runtime.version().feature() < FIRST_JDK) {
            return null;
        }
        try {
            return Class.forName(type).getMethod(name, parameters);
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    /** Whether there is such a thing here. */
    static boolean isPossible() {
        return MAP != null && FORCE != null;
    }

    /**
     * Has the JVM load the classes of a mapping, if none of this process had it do so. These are the first of a kind
     * that compiled code, as long as there are none, leaves out of each access to a buffer: loaded when a store is at
     * work, they cost it all of that code, and seconds of compiling.
     */
    static void prepare(EarlyWriting.Opening opening) {
        if (isPossible() && READY.compareAndSet(false, true)) {
            try (FileChannel channel = opening.open();
                    MappedPart nothing = map(channel, 0, 0)) {
                nothing.force();
            } catch (IOException e) {
                READY.set(!(e.getCause() instanceof ClosedByInterruptException)); // then it is left to the next one
            } catch (OutOfMemoryError | LinkageError e) {
                // it only saves time
            }
        }
    }

    /** Maps a part, which makes the file longer if it ends before. */
    static MappedPart map(FileChannel channel, long position, long bytes) throws IOException {
        if (!isPossible()) {
            throw new IOException("a mapping that ends when it is told to needs JDK " + FIRST_JDK);
        }
        AutoCloseable arena = (AutoCloseable) call(NEW_ARENA, null);
        try {
            return new MappedPart(arena, call(MAP, channel, FileChannel.MapMode.READ_WRITE, position, bytes, arena));
        } catch (Throwable e) {
            end(arena);
            throw e;
        }
    }

    /** Returns when what was written there, in whatever way, is on the disk. */
    void force() throws IOException {
        call(FORCE, segment);
    }

    private static Object call(Method method, Object object, Object... arguments) throws IOException {
        try {
            return method.invoke(object, arguments);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            throw cause instanceof UncheckedIOException unchecked ? unchecked.getCause() : new IOException(cause);
        } catch (IllegalAccessException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        end(arena);
    }

    private static void end(AutoCloseable arena) throws IOException {
        try {
            arena.close();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
