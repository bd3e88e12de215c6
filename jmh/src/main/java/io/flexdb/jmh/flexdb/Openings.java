package io.flexdb.jmh.flexdb;

import io.flexdb.Durability;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/** How long it takes to open a store, put a few records and close it, where there is none yet and where there is one. */
final class Openings {
    private static final int PUTS = 10;
    private static final int WARM_UP_ROUNDS = 20;
    private static final int ROUNDS = 100;
    private static final int QUICK_ROUNDS = 3;
    private static final int HIGH = 95; // percent

    private final Subject subject;
    private final KeyValueSettings settings;
    private final Callable<Path> directories;
    private final Results results;
    private final Records records;

    /** @param directories makes one */
    Openings(Subject subject, KeyValueSettings settings, Callable<Path> directories, Results results) {
        this.subject = subject;
        this.settings = settings;
        this.directories = directories;
        this.results = results;
        this.records = new Records(settings.space, PUTS);
    }

    void run() throws Exception {
        if (!subject.keepsPairs()) {
            return;
        }
        for (Durability durability : List.of(Durability.OS, Durability.SYNC)) {
            String name = String.format(Locale.ROOT, ", %d puts, close, %s", PUTS, durability.name());
            measure("new store" + name, durability, true);
            measure("small store" + name, durability, false);
        }
    }

    private void measure(String name, Durability durability, boolean anew) throws Exception {
        int warmUp = settings.run.quick ? 0 : WARM_UP_ROUNDS;
        double[] millis = new double[settings.run.quick ? QUICK_ROUNDS : ROUNDS];
        Path directory = directories.call();
        for (int i = -warmUp; i < millis.length; i++) {
            if (anew) {
                KeyValue.remove(directory);
                directory = directories.call();
            }
            double round = openPutAndClose(settings.store(directory).with(durability));
            if (i >= 0) {
                millis[i] = round;
            }
        }
        KeyValue.remove(directory);
        Arrays.sort(millis);
        results.add(name + ", median", millis[millis.length / 2], "ms");
        results.add(name + ", 95 %", millis[millis.length * HIGH / 100], "ms");
    }

    private double openPutAndClose(StoreSettings store) {
        long start = System.nanoTime();
        try (KeyValueStore opened = subject.open(store)) {
            for (int i = 0; i < PUTS; i++) {
                opened.put(records.key(i), records.value(i, 0));
            }
        }
        return (System.nanoTime() - start) / 1e6;
    }
}
