package io.flexdb.internal.mem;

/** The versions of each key (MVCC), from the newest to the oldest. Any number of threads, without a lock. */
final class Versions {
    /*
     * Nearly always a version is newer than all others of its key and goes to the front; only when two writers of one
     * key overtake each other does one go further back.
     *
     * Each version also has a jump, so that a read of the past passes a million overwrites of a key fast. Every version
     * has a level, higher ones rarer by a factor of four each, and the jump leads to the nearest older version of at
     * least the same level. A search takes the jump if it does not lead too far and else the next older version, O(log
     * n) steps or a small multiple. A version that was put further back jumps to the next older one, which is right for
     * any search and only slower.
     */
    private final Nodes nodes;

    Versions(Nodes nodes) {
        this.nodes = nodes;
    }

    private static int level(long sequence) {
        long bits = sequence * 0x9e3779b97f4a7c15L;
        bits = (bits ^ bits >>> 32) * 0xd6e8feb86659fd93L;
        return Long.numberOfLeadingZeros(bits) >>> 1;
    }

    /** Adds a written entry to those of a key's anchor. */
    void add(int anchor, int ref, long sequence) {
        long word = Nodes.word(sequence - nodes.baseSequence, ref);
        while (true) {
            long newest = nodes.newest(anchor);
            int before = Nodes.refOf(newest);
            if (Nodes.numberOf(newest) < Nodes.numberOf(word)) {
                nodes.setLinks(ref, before, jumpFrom(anchor, before, level(sequence)));
                if (nodes.replaceNewest(anchor, newest, word)) {
                    return;
                }
            } else {
                int newer = before;
                int older = nodes.older(newer);
                while (older != Nodes.NONE && nodes.sequence(older) > sequence) {
                    newer = older;
                    older = nodes.older(newer);
                }
                nodes.setLinks(ref, older, older);
                if (nodes.replaceOlder(newer, older, ref)) {
                    return;
                }
            }
        }
    }

    private int jumpFrom(int anchor, int from, int level) {
        int ref = from;
        while (ref != Nodes.NONE && level(nodes.sequence(ref)) < level) {
            ref = ref == anchor ? nodes.older(ref) : nodes.jump(ref);
        }
        return ref;
    }

    /** The newest version of an anchor's key up to a sequence number, or {@link Nodes#NONE}. */
    int find(int anchor, long maxSequence) {
        long newest = nodes.newest(anchor);
        int ref = Nodes.refOf(newest);
        return Nodes.numberOf(newest) <= maxSequence - nodes.baseSequence ? ref : findOlder(anchor, ref, maxSequence);
    }

    private int findOlder(int anchor, int from, long maxSequence) {
        int ref = from;
        while (ref != Nodes.NONE && nodes.sequence(ref) > maxSequence) {
            int jump = ref == anchor ? Nodes.NONE : nodes.jump(ref);
            ref = jump != Nodes.NONE && nodes.sequence(jump) > maxSequence ? jump : nodes.older(ref);
        }
        return ref;
    }
}
