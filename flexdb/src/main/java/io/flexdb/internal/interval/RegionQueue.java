package io.flexdb.internal.interval;

/** A queue of region numbers with room for all of them. */
final class RegionQueue {
    private final int[] ring;
    private int head;
    private int count;

    RegionQueue(int capacity) {
        ring = new int[Math.max(1, capacity)];
    }

    void add(int region) {
        ring[(head + count) % ring.length] = region;
        count++;
    }

    int first() {
        assert count > 0;
        return ring[head];
    }

    int remove() {
        int region = first();
        head = (head + 1) % ring.length;
        count--;
        return region;
    }

    int size() {
        return count;
    }

    boolean isEmpty() {
        return count == 0;
    }
}
