package io.flexdb;

import io.flexdb.DependencyGraph.Node;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The commits of a store, with the reads that they go by: to be explained once all is over. */
final class RecordedHistory {
    /*
     * Each write has a number of its own. A put makes a value of it, a merge appends it. So a value that was read says
     * which writes it is made of, and in which order. All that were committed, put in the order of their sequence
     * numbers, make a version of each key after another; each read must have found one of these, whole. Then it is
     * known who had written it, and DependencyGraph has what that means.
     *
     * That a key was absent says less: it is the version of the snapshot, which must then be none, or have expired.
     *
     * Where nothing is, a delete that is linked writes nothing, so it conflicts with nobody: the key is absent before it
     * and behind it, and who made it so is whoever did before.
     */
    enum Kind {
        PUT,
        MERGE,
        DELETE
    }

    /** A write of the keys from one to before another. */
    record Write(Kind kind, int from, int to, long number, long expiry) {}

    /**
     * A commit, with its place in the order of all and its reads of the store.
     *
     * @param time of the snapshot, for what has expired
     * @param ended the time when it had returned, if it was linked
     */
    record Done(
            Node node,
            long snapshot,
            long time,
            long ended,
            Place place,
            int numbers,
            Map<Integer, List<Long>> reads,
            List<Write> writes) {}

    /**
     * Places of writes: a linked one comes behind the write whose number it has. Of several that were linked behind the
     * same one those that write the same keys came one after the other.
     */
    record Place(long sequence, boolean linked, long returned) implements Comparable<Place> {
        private static final Comparator<Place> ORDER = Comparator.comparingLong(Place::sequence)
                .thenComparing(Place::linked)
                .thenComparingLong(Place::returned);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private record Version(Node writer, Place place, List<Long> value, long expiry) {
        boolean isAbsent(long time) {
            return value == null || expiry <= time;
        }
    }

    private static final Place BEGINNING = new Place(Long.MIN_VALUE, false, 0);

    private final Collection<Done> all = new ConcurrentLinkedQueue<>();

    void add(Done done) {
        all.add(done);
    }

    /**
     * Forgets what a crash took: all behind a number.
     *
     * @return how many had written something
     */
    int forgetBehind(long sequence) {
        int lost = 0;
        for (Done done : List.copyOf(all)) {
            boolean isBehind = done.writes.isEmpty() ? done.snapshot > sequence : done.place.sequence > sequence;
            if (isBehind) {
                all.remove(done);
                lost += done.writes.isEmpty() ? 0 : 1;
                long first = done.place.sequence - done.numbers + 1;
                if (!done.writes.isEmpty() && first <= sequence) {
                    throw new AssertionError("a part of " + done + " survived, up to " + sequence);
                }
            }
        }
        return lost;
    }

    /** Throws an {@link AssertionError} unless all is explained. */
    void check(int keys) {
        List<Done> inOrder = new ArrayList<>(all);
        inOrder.sort(Comparator.comparing(Done::place));
        Map<Integer, List<Version>> versions = new TreeMap<>();
        for (int key = 0; key < keys; key++) {
            versions.put(
                    key,
                    new ArrayList<>(List.of(new Version(DependencyGraph.INITIAL, BEGINNING, null, Long.MAX_VALUE))));
        }
        inOrder.forEach(done -> apply(done, versions));
        Map<Integer, Map<List<Long>, Version>> byValue = new HashMap<>();
        versions.forEach((key, ofKey) -> ofKey.forEach(
                version -> byValue.computeIfAbsent(key, one -> new HashMap<>()).put(version.value, version)));
        for (Done done : inOrder) {
            done.reads.forEach((key, value) -> {
                if (value == null) {
                    absent(done, key, versions.get(key));
                } else {
                    done.node.read(
                            key, present(done, key, value, byValue.get(key).get(value)));
                }
            });
        }
        DependencyGraph graph =
                new DependencyGraph(inOrder.stream().map(Done::node).toList());
        requireNone("snapshots are not isolated", graph.cycleOfSnapshots());
        requireNone("transactions are not serializable", graph.cycleOfSerializable());
    }

    private static void requireNone(String what, String cycle) {
        if (cycle != null) {
            throw new AssertionError(what + ": " + cycle);
        }
    }

    private static void apply(Done done, Map<Integer, List<Version>> versions) {
        Map<Integer, Version> made = new TreeMap<>();
        for (Write write : done.writes) {
            for (int key = write.from; key < write.to; key++) {
                List<Version> ofKey = versions.get(key);
                Version before = made.getOrDefault(key, ofKey.get(ofKey.size() - 1));
                made.put(key, new Version(done.node, done.place, after(before.value, write), write.expiry));
            }
        }
        made.forEach((key, version) -> {
            List<Version> ofKey = versions.get(key);
            Version before = ofKey.get(ofKey.size() - 1);
            if (done.place.linked && version.value == null && before.isAbsent(done.ended)) {
                ofKey.add(new Version(before.writer, done.place, null, Long.MAX_VALUE));
            } else {
                ofKey.add(version);
                done.node.write(key);
            }
        });
    }

    private static List<Long> after(List<Long> before, Write write) {
        return switch (write.kind) {
            case DELETE -> null;
            case PUT -> List.of(write.number);
            case MERGE -> {
                List<Long> longer = new ArrayList<>(before == null ? List.of() : before);
                longer.add(write.number);
                yield longer;
            }
        };
    }

    private static Node present(Done done, int key, List<Long> value, Version version) {
        if (version == null) {
            throw new AssertionError("nobody has committed what " + done + " read of " + key + ": " + value);
        }
        if (version.isAbsent(done.time)) {
            throw new AssertionError(done + " read " + value + " of " + key + ", which had expired");
        }
        return version.writer;
    }

    /** Notes who had made a key absent. Whether a snapshot shows what was linked behind its number is not known. */
    private static void absent(Done done, int key, List<Version> ofKey) {
        Version earliest = null;
        Version latest = null;
        boolean mayBeOlder = true;
        for (int i = ofKey.size() - 1; mayBeOlder; i--) {
            Version version = ofKey.get(i);
            if (version.place.sequence > done.snapshot) {
                continue;
            }
            if (version.isAbsent(done.time)) {
                earliest = version;
                latest = latest == null ? version : latest;
            }
            mayBeOlder = version.place.linked && version.place.sequence == done.snapshot;
        }
        if (earliest == null) {
            throw new AssertionError(done + " read " + key + " as absent, of which there was " + ofKey);
        }
        done.node.read(key, earliest.writer, latest.writer);
    }
}
