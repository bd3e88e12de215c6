package io.flexdb.jmh.suite;

import io.flexdb.jmh.flexdb.Subject;
import io.flexdb.jmh.flexdb.Use;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings of a run. They are stored with its results: results of different plans are never mixed.
 *
 * @param directory on the device to measure
 * @param rivals stores beside FlexDB, by the names of {@code run.sh program kv --stores}
 * @param fileSystems {@code NAME:DIRECTORY} of the plain files beside FlexSpace
 * @param threads client threads
 * @param seconds the time of each YCSB workload
 * @param memoryBytes the memory of a process in suites on more data than memory; 0 if it can't be limited
 * @param rounds how often each cell is measured; see {@link Suite#rounds}
 * @param cold whether the page cache is dropped before cold reads
 */
record Plan(
        Scale scale,
        String directory,
        List<String> rivals,
        List<String> fileSystems,
        int threads,
        int seconds,
        long memoryBytes,
        int rounds,
        boolean cold) {
    static final String OURS = "flexdb";

    <T> T of(T smoke, T laptop, T paper) {
        return scale.of(smoke, laptop, paper);
    }

    /** Half of the rounds, but one at least. */
    int fewRounds() {
        return (rounds + 1) / 2;
    }

    /** A third of the rounds, but one at least. */
    int fewestRounds() {
        return (rounds + 2) / 3;
    }

    /** FlexDB and all rivals, by their names in arguments. */
    List<String> stores() {
        List<String> stores = new ArrayList<>(List.of(OURS));
        stores.addAll(rivals);
        return stores;
    }

    /** FlexDB and those of the rivals that can be opened for something. */
    List<String> storesFor(Use use) {
        return stores().stream()
                .filter(store ->
                        Subject.named(store).filter(each -> each.isFor(use)).isPresent())
                .toList();
    }
}
