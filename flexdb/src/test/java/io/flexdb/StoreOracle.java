package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Knows what a store may hold after a crash: its content after each write since the last moment that is known to be
 * durable. Independent of the store's code.
 */
final class StoreOracle {
    /*
     * Copying the map at each write would cost the square of a history, so only the edits are kept. To find the state
     * that a store was found in, they are applied one after the other to the durable state, while the number of keys
     * that differ from the store's is kept up to date.
     */

    /**
     * A change of one key; a null value deletes it. Or, with a range, a removal of all keys from one on to before
     * another, where null stands for no end.
     *
     * @param ttlMillis how long a value lives; 0 for ever
     * @param isMerge whether the value is an operand
     * @param time when it was written
     */
    record Edit(byte[] key, byte[] value, byte[] to, boolean isRange, long ttlMillis, boolean isMerge, long time) {
        Edit(byte[] key, byte[] value) {
            this(key, value, null, false, 0, false, 0);
        }

        static Edit range(byte[] from, byte[] to) {
            return new Edit(from, null, to, true, 0, false, 0);
        }

        static Edit expiring(byte[] key, byte[] value, long ttlMillis) {
            return new Edit(key, value, null, false, ttlMillis, false, 0);
        }

        static Edit merge(byte[] key, byte[] operand) {
            return new Edit(key, operand, null, false, 0, true, 0);
        }

        Duration ttl() {
            return Duration.ofMillis(ttlMillis);
        }

        /** Whether it may change a key. */
        boolean touches(byte[] other) {
            if (!isRange) {
                return Arrays.equals(key, other);
            }
            return (key == null || Arrays.compareUnsigned(key, other) <= 0)
                    && (to == null || Arrays.compareUnsigned(other, to) < 0);
        }

        /** The keys of a map that it may change. */
        List<byte[]> keysIn(TreeMap<byte[], byte[]> map) {
            return isRange ? new ArrayList<>(covered(map).keySet()) : List.of(key);
        }

        private NavigableMap<byte[], byte[]> covered(TreeMap<byte[], byte[]> map) {
            byte[] from = key == null ? new byte[0] : key;
            return to == null ? map.tailMap(from, true) : map.subMap(from, true, to, false);
        }
    }

    /** @param numbers that it takes: one for each edit, or none if it is a load */
    private record Write(List<Edit> edits, int numbers) {}

    private TreeMap<byte[], byte[]> now = newMap();
    private TreeMap<byte[], byte[]> durable = newMap();
    private long durableSequence;
    private long sequence;
    private final List<Write> sinceDurable = new ArrayList<>();
    private final TestClock clock;
    private final Map<byte[], Long> expiries; // of values, each of which is an array of its own

    /** @param clock of the store; it does not go back */
    StoreOracle(TestClock clock) {
        this(clock, new IdentityHashMap<>());
    }

    private StoreOracle(TestClock clock, Map<byte[], Long> expiries) {
        this.clock = clock;
        this.expiries = expiries;
    }

    /** An oracle that knows the same and goes its own way. */
    StoreOracle copy() {
        StoreOracle copy = new StoreOracle(clock, expiries);
        copy.now = new TreeMap<>(now);
        copy.durable = new TreeMap<>(durable);
        copy.durableSequence = durableSequence;
        copy.sequence = sequence;
        copy.sinceDurable.addAll(sinceDurable);
        return copy;
    }

    static TreeMap<byte[], byte[]> newMap() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }

    /** What the store holds. */
    TreeMap<byte[], byte[]> now() {
        if (expiries.isEmpty()) {
            return now;
        }
        TreeMap<byte[], byte[]> live = new TreeMap<>(now);
        live.values().removeIf(this::isOver);
        return live;
    }

    private boolean isOver(byte[] value) {
        return expiries.getOrDefault(value, Long.MAX_VALUE) <= clock.millis();
    }

    private byte[] live(Map<byte[], byte[]> map, byte[] key) {
        byte[] value = map.get(key);
        return value == null || isOver(value) ? null : value;
    }

    /** The value of a key, or null. */
    byte[] get(byte[] key) {
        return live(now, key);
    }

    /** The sequence number of the last write. */
    long sequence() {
        return sequence;
    }

    /** Notes a write, whether it has returned or not. */
    void write(List<Edit> edits) {
        write(edits, edits.size());
    }

    /** Notes a load, which takes no number, whether it has returned or not. */
    void load(TreeMap<byte[], byte[]> pairs) {
        List<Edit> edits = new ArrayList<>();
        pairs.forEach((key, value) -> edits.add(new Edit(key, value)));
        write(edits, 0);
    }

    /** Notes a write that takes another number of numbers: none if it is linked, as a load is. */
    void write(List<Edit> edits, int numbers) {
        List<Edit> noted = edits.stream().map(this::note).toList();
        for (Edit edit : noted) {
            apply(now, edit);
        }
        sinceDurable.add(new Write(noted, numbers));
        sequence += numbers;
    }

    private Edit note(Edit edit) {
        if (edit.ttlMillis == 0 && !edit.isMerge) {
            return edit;
        }
        byte[] value = edit.value.clone();
        long time = clock.millis();
        if (!edit.isMerge) {
            expiries.put(value, time + edit.ttlMillis);
        }
        return new Edit(edit.key, value, null, false, edit.ttlMillis, edit.isMerge, time);
    }

    /** What it makes of the value that there was, if that was there when it was written. */
    private byte[] merged(TreeMap<byte[], byte[]> map, Edit edit) {
        byte[] value = map.get(edit.key);
        Long expiry = value == null ? null : expiries.get(value);
        if (expiry != null && expiry <= edit.time) {
            value = null;
            expiry = null;
        }
        byte[] merged = TAIL.merge(edit.key, value, List.of(edit.value));
        if (expiry != null) {
            expiries.put(merged, expiry);
        }
        return merged;
    }

    /** Appends, and keeps the last bytes: so it matters in which order operands come, and how often. */
    static final MergeFunction TAIL = (key, value, operands) -> {
        byte[] all = MergeFunction.APPEND.merge(key, value, operands);
        return Arrays.copyOfRange(all, Math.max(0, all.length - 100), all.length);
    };

    private void apply(TreeMap<byte[], byte[]> map, Edit edit) {
        if (edit.isRange) {
            edit.covered(map).clear();
        } else if (edit.isMerge) {
            map.put(edit.key, merged(map, edit));
        } else if (edit.value == null) {
            map.remove(edit.key);
        } else {
            map.put(edit.key, edit.value);
        }
    }

    /** Notes that every write so far survives a power cut. */
    void allDurable() {
        for (Write write : sinceDurable) {
            write.edits.forEach(edit -> apply(durable, edit));
        }
        sinceDurable.clear();
        durableSequence = sequence;
    }

    /** Takes the last write back, which was refused. */
    void forgetLast() {
        sequence -= sinceDurable.remove(sinceDurable.size() - 1).numbers;
        now = new TreeMap<>(durable);
        for (Write write : sinceDurable) {
            write.edits.forEach(edit -> apply(now, edit));
        }
    }

    /** Writes since the last moment known to be durable. */
    int writesSinceDurable() {
        return sinceDurable.size();
    }

    /**
     * Takes what was found after a crash: the state after some write, with its sequence number.
     *
     * @param least how many of the writes since the durable moment must have survived
     */
    void found(TreeMap<byte[], byte[]> found, long foundSequence, int least, String at) {
        long number = durableSequence;
        int survived = 0;
        int different = difference(durable, found);
        while (survived < sinceDurable.size()
                && (number < foundSequence || (different != 0 || survived < least) && isLoad(survived))) {
            Write write = sinceDurable.get(survived++);
            for (Edit edit : write.edits) {
                List<byte[]> keys = edit.keysIn(durable);
                for (byte[] key : keys) {
                    different -= differs(durable, found, key);
                }
                apply(durable, edit);
                for (byte[] key : keys) {
                    different += differs(durable, found, key);
                }
            }
            number += write.numbers;
        }
        if (number != foundSequence || survived < least) {
            fail(at + ": found sequence number " + foundSequence + " of " + durableSequence + " (durable) to "
                    + sequence + "; " + survived + " writes survived, and at least " + least + " of "
                    + sinceDurable.size() + " must");
        }
        if (different != 0) {
            fail(at + ": " + different + " keys differ at sequence number " + foundSequence + " of " + sequence);
        }
        now = new TreeMap<>(durable); // the same as found, but for what has expired
        sequence = foundSequence;
        durableSequence = foundSequence;
        sinceDurable.clear();
    }

    /** Whether a write is a load, so that the number does not tell whether it was survived. */
    private boolean isLoad(int write) {
        return sinceDurable.get(write).numbers == 0;
    }

    private int differs(Map<byte[], byte[]> a, Map<byte[], byte[]> b, byte[] key) {
        return Arrays.equals(live(a, key), live(b, key)) ? 0 : 1;
    }

    /** How many keys have other values in one map than in the other. */
    private int difference(TreeMap<byte[], byte[]> a, TreeMap<byte[], byte[]> b) {
        int count = 0;
        for (Map.Entry<byte[], byte[]> entry : a.entrySet()) {
            count += differs(a, b, entry.getKey());
        }
        for (byte[] key : b.keySet()) {
            count += a.containsKey(key) ? 0 : 1;
        }
        return count;
    }

    /** Fails unless both hold the same. */
    static void assertSame(TreeMap<byte[], byte[]> expected, TreeMap<byte[], byte[]> found, String at) {
        Iterator<Map.Entry<byte[], byte[]>> rest = found.entrySet().iterator();
        for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
            if (!rest.hasNext()) {
                fail(at + ": missing from " + Arrays.toString(entry.getKey()) + " on");
            }
            Map.Entry<byte[], byte[]> other = rest.next();
            if (!Arrays.equals(entry.getKey(), other.getKey())) {
                fail(at + ": key " + new String(other.getKey(), StandardCharsets.UTF_8) + " instead of "
                        + new String(entry.getKey(), StandardCharsets.UTF_8));
            }
            if (!Arrays.equals(entry.getValue(), other.getValue())) {
                fail(at + ": another value of " + new String(entry.getKey(), StandardCharsets.UTF_8));
            }
        }
        assertEquals(expected.size(), found.size(), at);
    }
}
