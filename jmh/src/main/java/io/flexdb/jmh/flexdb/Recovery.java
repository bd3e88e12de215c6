package io.flexdb.jmh.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.jmh.PageCache;
import io.flexdb.jmh.flexdb.Operations.Experiment;
import io.flexdb.ycsb.Progress;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * How long it takes to open a store and to read a first record, after its process was killed while it was loaded, and
 * after a close.
 */
final class Recovery {
    private static final int FEW = 1000;

    private final Subject subject;
    private final KeyValueSettings settings;
    private final Callable<Path> directories;
    private final Results results;
    private final Progress progress;

    /** @param directories makes one */
    Recovery(
            Subject subject,
            KeyValueSettings settings,
            Callable<Path> directories,
            Results results,
            Progress progress) {
        this.subject = subject;
        this.settings = settings;
        this.directories = directories;
        this.results = results;
        this.progress = progress;
    }

    void run() throws Exception {
        if (!subject.opensAfterKill()) {
            results.note("part recovery: it can't be opened after a kill");
            return;
        }
        Path small = directories.call();
        fillAndClose(small); // so that the code is there when time is taken
        KeyValue.remove(small);
        for (int pairs : settings.sizes) {
            Path directory = directories.call();
            String name = String.format(Locale.ROOT, ", %,d pairs", pairs);
            if (fillAndKill(directory, pairs)) {
                int found = open("open after a kill" + name, directory, pairs);
                results.add("lost by a kill" + name, pairs - found, "records");
                if (found < pairs && subject.survivesKill()) {
                    throw new IllegalStateException(found + " records instead of " + pairs);
                }
                open("open after a close" + name, directory, pairs);
            } else {
                results.note("part recovery: the load of " + pairs + " records was stopped or has failed");
            }
            KeyValue.remove(directory);
        }
    }

    private void fillAndClose(Path directory) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            try (KeyValueStore store = subject.open(settings.store(directory))) {
                fill(store, FEW);
            }
        }
    }

    private void fill(KeyValueStore store, int pairs) throws InterruptedException {
        new Operations(subject, settings, pairs, results, progress)
                .prepare(store, new Experiment("load", Distribution.SHUFFLED, pairs, settings.threads));
    }

    private boolean fillAndKill(Path directory, int pairs) throws IOException, InterruptedException {
        List<String> command = KeyValue.command(settings, subject);
        command.addAll(List.of("--fill=" + pairs, "--fill-in=" + directory));
        return new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start()
                        .waitFor()
                == 0;
    }

    /** In a process of its own: loads, and ends the process without closing anything. */
    static void fillAndHalt(Subject subject, KeyValueSettings settings, Path directory, int pairs)
            throws InterruptedException {
        Results nowhere = new Results(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
        Recovery recovery = new Recovery(subject, settings, null, nowhere, new Progress(System.err, false));
        recovery.fill(subject.open(settings.store(directory)), pairs);
        Runtime.getRuntime().halt(0);
    }

    /** Returns how many pairs there are; those that are have been checked. */
    private int open(String name, Path directory, int pairs) throws IOException {
        if (settings.cold) {
            PageCache.drop();
        }
        Operations operations = new Operations(subject, settings, pairs, results, progress);
        Records records = new Records(settings.space, pairs);
        long start = System.nanoTime();
        try (KeyValueStore store = subject.open(settings.store(directory))) {
            long opened = System.nanoTime();
            byte[] first = store.get(records.key(pairs / 2));
            long read = System.nanoTime();
            results.add(name, (opened - start) / 1e6, "ms");
            results.add(name + ", and a first GET", (read - start) / 1e6, "ms");
            if (first != null) {
                records.check(pairs / 2, first);
            }
            return operations.verifyAll(store);
        }
    }
}
