package io.flexdb.jmh.flexdb;

import io.flexdb.jmh.ProcessorTime;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What this process has used, as the operating system counts it; 0 where it doesn't.
 *
 * @param readBytes bytes that it has waited for, or asked for ahead, from a disk
 * @param writtenBytes bytes that it has caused to be written to disk: each page when it became dirty
 * @param processorNanos time on processors
 * @param residentBytes memory that is its own: heap, off-heap and libraries, without the page cache
 * @param collectionMillis time in garbage collections
 * @param compilationMillis time in which the JVM has compiled
 * @param stealTicks hundredths of a second in which other machines had this one's processors
 */
record ProcessFigures(
        long readBytes,
        long writtenBytes,
        long processorNanos,
        long residentBytes,
        long collectionMillis,
        long compilationMillis,
        long stealTicks) {

    /** Of this moment. */
    static ProcessFigures now() {
        long collections = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += collector.getCollectionTime();
        }
        return new ProcessFigures(
                field(Path.of("/proc/self/io"), "read_bytes:", 1),
                field(Path.of("/proc/self/io"), "write_bytes:", 1),
                ProcessorTime.nanosNow(),
                field(Path.of("/proc/self/status"), "RssAnon:", 1) << 10,
                collections,
                ManagementFactory.getCompilationMXBean().getTotalCompilationTime(),
                field(Path.of("/proc/stat"), "cpu ", 8));
    }

    /** Time that threads have had on processors whose names begin so; those that have ended do not count. */
    static long threadNanos(String name) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long nanos = 0;
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith(name)) {
                nanos += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
            }
        }
        return nanos;
    }

    /** A number in the line that begins with a word. */
    private static long field(Path file, String word, int index) {
        try {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(word)) {
                    return Long.parseLong(line.split("\\s+")[index]);
                }
            }
        } catch (IOException | RuntimeException e) {
            // Another operating system: not known.
        }
        return 0;
    }

    /** Disk space that the files in a directory take, holes left out where the file system tells. */
    static long bytesOfFiles(Path directory) throws IOException {
        AtomicLong sum = new AtomicLong();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                sum.addAndGet(allocated(file, attributes.size()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) {
                return FileVisitResult.CONTINUE; // the store is open, and has just removed or renamed it
            }
        });
        return sum.get();
    }

    private static long allocated(Path file, long size) {
        try {
            Process process = new ProcessBuilder("stat", "--format=%b", file.toString()).start();
            String blocks = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return process.waitFor() == 0 ? Long.parseLong(blocks.strip()) * 512 : size;
        } catch (IOException | NumberFormatException e) {
            return size;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return size;
        }
    }
}
