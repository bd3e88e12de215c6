package io.flexdb.flexspace.internal.vfs;

import io.flexdb.storage.StoreLockedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Another process that takes a lock, says how that went, and holds it until it is told to end. */
final class LockingProcess implements AutoCloseable {
    private final Process process;
    private final String answer;

    private LockingProcess(Path lockFile) {
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xshare:auto",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            LockingProcess.class.getName(),
                            lockFile.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            answer = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static LockingProcess start(Path lockFile) {
        return new LockingProcess(lockFile);
    }

    /** What another process is told that wants the lock: "locked", or who holds it. */
    static String ask(Path lockFile) {
        try (LockingProcess process = start(lockFile)) {
            return process.answer;
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
        try (VfsLock lock = new RealVfs().lock(Path.of(arguments[0]))) {
            System.out.println("locked");
            System.in.read();
            System.out.println(lock.path());
        } catch (StoreLockedException e) {
            System.out.println(e.holder());
        }
    }
}
