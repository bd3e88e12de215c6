package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StoreLockedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Another process that takes a lock, says how that went, and holds it until it is told to end. */
final class LockingProcess implements AutoCloseable {
    /** The ways to take the lock. */
    enum Way {
        /** As a store does that may call the system. */
        NATIVE,
        /** As a store does that may not. */
        JDK,
        /** By the bytes alone, whatever the file says. */
        BYTES
    }

    private static final Path NOTHING = Path.of("");

    private final Process process;
    private final BufferedReader answers;
    private final String answer;

    private LockingProcess(Way way, Path lockFile, String... before) {
        List<String> command = new ArrayList<>(List.of(before));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LockingProcess.class.getName(),
                way.name(),
                lockFile.toString()));
        if (Runtime.version().feature() >= 22) {
            command.add(before.length + 1, "--enable-native-access=ALL-UNNAMED");
        }
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
            answer = lockFile.equals(NOTHING) ? null : answers.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static LockingProcess start(Path lockFile) {
        return start(Way.NATIVE, lockFile);
    }

    static LockingProcess start(Way way, Path lockFile) {
        return new LockingProcess(way, lockFile);
    }

    /** Starts it as a child of a process that does not wait for the end of its children. */
    static LockingProcess startUnwatched(Path lockFile) {
        return new LockingProcess(Way.NATIVE, lockFile, "sh", "-c", "exec 3<&0; \"$@\" <&3 & exec sleep 600", "sh");
    }

    /** Starts one that takes no lock before it is {@linkplain #ask asked}. */
    static LockingProcess toAsk() {
        return new LockingProcess(Way.NATIVE, NOTHING);
    }

    /** The answer to this process when it takes the lock, which it gives up at once: "locked", or who holds it. */
    String ask(Path lockFile) {
        return ask(Way.NATIVE, lockFile);
    }

    String ask(Way way, Path lockFile) {
        try {
            process.getOutputStream().write((way + " " + lockFile + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
            return answers.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String answer() {
        return answer;
    }

    long pid() {
        return process.pid();
    }

    /** Ends the process as a kill does. */
    @Override
    public void close() {
        process.destroyForcibly();
        boolean ended = false;
        while (!ended) {
            try {
                process.waitFor();
                ended = true;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        Path lockFile = Path.of(arguments[1]);
        if (lockFile.equals(NOTHING)) {
            BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = questions.readLine(); line != null; line = questions.readLine()) {
                String[] question = line.split(" ", 2);
                lock(Way.valueOf(question[0]), Path.of(question[1]), false);
            }
        } else {
            lock(Way.valueOf(arguments[0]), lockFile, true);
        }
    }

    /** Says how it went: at once if the lock is to be held then, or else when it is given up. */
    private static void lock(Way way, Path lockFile, boolean isToHold) throws IOException {
        if (way == Way.BYTES) {
            lockBytes(lockFile, isToHold);
            return;
        }
        String answer = "locked";
        try (VfsLock lock = FileLocks.lock(lockFile, FilePermissions.OWNER, way == Way.NATIVE)) {
            if (isToHold) {
                System.out.println(answer);
                System.in.read();
                System.out.println(lock.path());
            }
        } catch (StoreLockedException e) {
            answer = e.holder();
        }
        System.out.println(answer);
    }

    private static void lockBytes(Path lockFile, boolean isToHold) throws IOException {
        String answer;
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock(Long.MAX_VALUE - 2, 2, false)) {
            answer = lock == null ? "refused" : "locked";
            if (isToHold) {
                System.out.println(answer);
                System.in.read();
            }
        }
        System.out.println(answer);
    }
}
