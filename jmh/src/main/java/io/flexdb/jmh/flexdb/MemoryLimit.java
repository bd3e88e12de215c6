package io.flexdb.jmh.flexdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A control group of Linux whose processes together may use so much memory, page cache included. It is gone when it is
 * closed, by when its processes must have ended.
 */
public final class MemoryLimit implements AutoCloseable {
    private static final Path GROUPS = Path.of("/sys/fs/cgroup");
    private static final Path OWN_GROUPS = Path.of("/proc/self/cgroup");
    private static final String NAME = "flexdb-benchmark-";

    private static final int REMOVALS = 100;
    private static final long REMOVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Path group;

    private MemoryLimit(Path group) {
        this.group = group;
    }

    /**
     * Makes it.
     *
     * @param bytes that its processes may use together
     * @throws IOException if that can't be done here; the message says why
     */
    public static MemoryLimit of(long bytes) throws IOException {
        Path group = parent().resolve(NAME + ProcessHandle.current().pid());
        try {
            Files.createDirectory(group);
        } catch (IOException e) {
            throw new IOException("only root can limit the memory of a process, by a control group: " + e, e);
        }
        try {
            boolean unified = Files.exists(group.resolve("memory.max"));
            Path limit = group.resolve(unified ? "memory.max" : "memory.limit_in_bytes");
            if (!Files.exists(limit)) {
                throw new IOException("control groups don't limit memory here: there is no " + limit);
            }
            Files.writeString(limit, Long.toString(bytes));
            Path swap = group.resolve("memory.swap.max");
            if (Files.exists(swap)) {
                Files.writeString(swap, "0");
            }
            return new MemoryLimit(group);
        } catch (IOException e) {
            Files.delete(group);
            throw e;
        }
    }

    /** This process's own group; with version 2, in which a group with processes has none below it, the topmost. */
    private static Path parent() throws IOException {
        Path first = GROUPS.resolve("memory");
        if (!Files.isDirectory(first)) {
            return GROUPS;
        }
        for (String line : Files.readAllLines(OWN_GROUPS)) {
            String[] fields = line.split(":", 3);
            if (fields.length == 3 && fields[1].equals("memory")) {
                Path own = first.resolve(fields[2].substring(1));
                return Files.isDirectory(own) ? own : first;
            }
        }
        return first;
    }

    /** The command that runs another one in the group. */
    List<String> wrap(List<String> command) {
        List<String> wrapped = new ArrayList<>();
        wrapped.addAll(List.of(
                "sh",
                "-c",
                "echo $$ > \"$0\" && exec \"$@\"",
                group.resolve("cgroup.procs").toString()));
        wrapped.addAll(command);
        return wrapped;
    }

    @Override
    public String toString() {
        return "control group " + group;
    }

    /** Waits a little for processes that have ended, but which the kernel still counts. */
    @Override
    public void close() throws IOException {
        for (int i = 0; i < REMOVALS; i++) {
            try {
                Files.delete(group);
                return;
            } catch (IOException e) {
                LockSupport.parkNanos(REMOVAL_NANOS);
            }
        }
        Files.delete(group);
    }
}
