package io.flexdb.internal.mem;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a memtable should hold: each key's versions by sequence number; a delete is a null value. */
final class VersionedModel {
    static final Comparator<byte[]> KEY_ORDER = Arrays::compareUnsigned;

    private final TreeMap<byte[], TreeMap<Long, byte[]>> versions = new TreeMap<>(KEY_ORDER);

    void add(byte[] key, long sequence, byte[] value) {
        versions.computeIfAbsent(key, k -> new TreeMap<>()).put(sequence, value);
    }

    /** The newest version up to a number, or null if there is none. */
    Map.Entry<Long, byte[]> find(byte[] key, long maxSequence) {
        TreeMap<Long, byte[]> ofKey = versions.get(key);
        return ofKey == null ? null : ofKey.floorEntry(maxSequence);
    }

    /** The keys that have a version up to a number, each with the newest such. */
    NavigableMap<byte[], Map.Entry<Long, byte[]>> view(long maxSequence) {
        TreeMap<byte[], Map.Entry<Long, byte[]>> view = new TreeMap<>(KEY_ORDER);
        versions.forEach((key, ofKey) -> {
            Map.Entry<Long, byte[]> newest = ofKey.floorEntry(maxSequence);
            if (newest != null) {
                view.put(key, newest);
            }
        });
        return view;
    }
}
