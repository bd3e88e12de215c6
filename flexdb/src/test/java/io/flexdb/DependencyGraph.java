package io.flexdb;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The dependencies of committed transactions, after Adya: one has overwritten another's write (ww), read it (wr),
 * overwritten a version that the other has read (rw), or come later in one session (so). A cycle is an anomaly.
 */
final class DependencyGraph {
    /*
     * An isolation level is a set of cycles that must not be. For serializable transactions there is none at all. Snapshot
     * isolation allows those in which two rw edges follow each other, such as write skew, and no others: so there is no
     * cycle of single edges that are not rw, and of pairs of an rw edge and one that is not.
     *
     * A transaction under snapshot isolation may be overwritten in what it has read. In the first graph its rw edges are
     * left out, while all that others have to do with its writes counts.
     *
     * Walks are reads of all keys of their ranges, those included that are not there.
     */
    /** The writer of the versions that were there before all. */
    static final Node INITIAL = new Node("initial", 0, false);

    /** A transaction that was committed. */
    static final class Node {
        final String name;
        final int session;
        final boolean serializable;
        final Map<Integer, Node> reads = new TreeMap<>(); // key: the earliest possible writer of the version found
        final Map<Integer, Node> readsAtLatest = new TreeMap<>();
        final Set<Integer> writes = new TreeSet<>();

        Node(String name, int session, boolean serializable) {
            this.name = name;
            this.session = session;
            this.serializable = serializable;
        }

        Node read(int key, Node writer) {
            return read(key, writer, writer);
        }

        /** The same if it may have been one of two, or one between them: their writes are the same. */
        Node read(int key, Node earliest, Node latest) {
            reads.put(key, earliest);
            readsAtLatest.put(key, latest);
            return this;
        }

        Node write(int... keys) {
            for (int key : keys) {
                writes.add(key);
            }
            return this;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private record Edge(Node to, String kind) {}

    private final List<Node> nodes; // in the order in which they were committed, as far as they have written
    private final Map<Node, List<Edge>> others = new HashMap<>(); // that are not rw
    private final Map<Node, List<Edge>> overwritten = new HashMap<>(); // rw

    /** @param nodes each session's in its order, and all that have written in the order of their commits */
    DependencyGraph(List<Node> nodes) {
        this.nodes = nodes;
        Map<Integer, Node> lastOfSession = new HashMap<>();
        Map<Integer, List<Node>> versions = new HashMap<>();
        for (Node node : nodes) {
            Node before = lastOfSession.put(node.session, node);
            if (before != null) {
                add(others, before, node, "so");
            }
            for (int key : node.writes) {
                List<Node> ofKey = versions.computeIfAbsent(key, one -> new ArrayList<>(List.of(INITIAL)));
                add(others, ofKey.get(ofKey.size() - 1), node, "ww " + key);
                ofKey.add(node);
            }
        }
        for (Node node : nodes) {
            node.reads.forEach((key, writer) -> add(others, writer, node, "wr " + key));
            node.readsAtLatest.forEach((key, writer) -> {
                List<Node> ofKey = versions.getOrDefault(key, List.of(INITIAL));
                int next = ofKey.indexOf(writer) + 1;
                if (next < ofKey.size() && ofKey.get(next) != node) {
                    add(overwritten, node, ofKey.get(next), "rw " + key);
                }
            });
        }
    }

    private static void add(Map<Node, List<Edge>> edges, Node from, Node to, String kind) {
        if (from != INITIAL && from != to) {
            edges.computeIfAbsent(from, one -> new ArrayList<>()).add(new Edge(to, kind));
        }
    }

    /** A cycle that serializable transactions must not be in, or null. */
    String cycleOfSerializable() {
        return new Search(node -> {
                    List<Edge> edges = new ArrayList<>(others.getOrDefault(node, List.of()));
                    if (node.serializable) {
                        edges.addAll(overwritten.getOrDefault(node, List.of()));
                    }
                    return edges;
                })
                .cycle();
    }

    /** A cycle that no transactions must be in, whatever their isolation; or null. */
    String cycleOfSnapshots() {
        return new Search(node -> {
                    List<Edge> edges = new ArrayList<>(others.getOrDefault(node, List.of()));
                    for (Edge first : overwritten.getOrDefault(node, List.of())) {
                        for (Edge second : others.getOrDefault(first.to, List.of())) {
                            edges.add(new Edge(second.to, first.kind + " " + first.to + " " + second.kind));
                        }
                    }
                    return edges;
                })
                .cycle();
    }

    /** A search in depth, without recursion. */
    private final class Search {
        private interface Edges {
            Collection<Edge> of(Node node);
        }

        private final Edges edges;
        private final Set<Node> done = new HashSet<>();
        private final List<Node> path = new ArrayList<>();
        private final List<String> kinds = new ArrayList<>();
        private final List<List<Edge>> left = new ArrayList<>();
        private final Set<Node> onPath = new HashSet<>();

        Search(Edges edges) {
            this.edges = edges;
        }

        String cycle() {
            for (Node node : nodes) {
                if (!done.contains(node)) {
                    String cycle = cycleFrom(node);
                    if (cycle != null) {
                        return cycle;
                    }
                }
            }
            return null;
        }

        private String cycleFrom(Node first) {
            enter(first, "");
            while (!path.isEmpty()) {
                int last = path.size() - 1;
                if (left.get(last).isEmpty()) {
                    leave(last);
                    continue;
                }
                Edge edge = left.get(last).remove(left.get(last).size() - 1);
                if (onPath.contains(edge.to)) {
                    return print(edge);
                }
                if (!done.contains(edge.to)) {
                    enter(edge.to, edge.kind);
                }
            }
            return null;
        }

        private void enter(Node node, String kind) {
            path.add(node);
            kinds.add(kind);
            onPath.add(node);
            left.add(new ArrayList<>(edges.of(node)));
        }

        private void leave(int last) {
            onPath.remove(path.get(last));
            done.add(path.get(last));
            path.remove(last);
            kinds.remove(last);
            left.remove(last);
        }

        private String print(Edge closing) {
            int from = path.indexOf(closing.to);
            StringBuilder printed = new StringBuilder(path.get(from).name);
            for (int i = from + 1; i < path.size(); i++) {
                printed.append(" -").append(kinds.get(i)).append("-> ").append(path.get(i));
            }
            return printed.append(" -")
                    .append(closing.kind)
                    .append("-> ")
                    .append(closing.to)
                    .toString();
        }
    }
}
