package io.flexdb.internal.open;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.KeyspaceRegistry;
import io.flexdb.internal.log.FoundWrites;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.txn.KeyspaceDirectory;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.MergeException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The keyspaces that logs tell of, before their writes are taken: names, and which of them have operands, so need a merge
 * function. For one thread at a time.
 */
final class FoundKeyspaces implements FoundWrites.Visitor {
    private final KeyspaceRegistry registry;
    private final Map<Integer, String> names = new HashMap<>(); // by number
    private final Map<Integer, byte[]> operands = new HashMap<>(); // a key with one by number, if some lack a function
    private int last = Integer.MIN_VALUE; // number that has one
    private final Set<String> dropped = new HashSet<>(); // of which the logs had not told the number before
    private boolean hidesNames;

    FoundKeyspaces(KeyspaceRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void operand(byte[] from, int keyIndex, int keyLength) {
        if (!registry.maySomeLackMerger()) {
            return;
        }
        int number = KeyHeads.numberOf(from, keyIndex, keyLength);
        if (number != last) {
            last = number;
            operands.computeIfAbsent(number, any -> Arrays.copyOfRange(from, keyIndex, keyIndex + keyLength));
        }
    }

    @Override
    public void name(PayloadReader entry, byte[] from) {
        int value = entry.keyIndex() + entry.keyLength();
        byte[] key = KeyHeads.withoutHead(Arrays.copyOfRange(from, entry.keyIndex(), value));
        if (entry.type() == WritePayload.DELETE) {
            drop(KeyspaceDirectory.nameOf(key));
            return;
        }
        if (entry.type() != WritePayload.PUT) {
            hidesNames = true; // of earlier builds, if told that values of four bytes are large
            registry.namesMayBeMissing();
            return;
        }
        byte[] number = Arrays.copyOfRange(from, value, value + entry.valueLength());
        KeyspaceDirectory.tellName(key, number, registry, names);
    }

    /** Follows that the keyspace of a name is dropped: what it had needs no function any more. */
    private void drop(String name) {
        boolean isFound = false;
        for (Map.Entry<Integer, String> named : names.entrySet()) {
            if (named.getValue().equals(name)) {
                operands.remove(named.getKey());
                isFound = true;
            }
        }
        if (!isFound && name != null) {
            dropped.add(name);
        }
        last = Integer.MIN_VALUE;
    }

    /**
     * Learns the names that the space has, and requires that all keyspaces with operands have a function.
     *
     * @param space shows what the space has, without the logs
     * @throws MergeException if one has none
     */
    void learn(StoreReader space) {
        if (registry.needsNames() || !operands.isEmpty()) {
            try {
                KeyspaceDirectory.tellNames(space, registry).forEach((number, name) -> {
                    if (dropped.contains(name) && !names.containsKey(number)) {
                        operands.remove(number);
                    }
                    names.put(number, name);
                });
            } catch (CorruptionException e) { // who asks for a keyspace is told so
                hidesNames = true;
            }
            if (hidesNames) {
                registry.namesMayBeMissing();
                names.forEach(registry::named);
            }
        }
        dropped.clear();
        requireFunctions();
    }

    /** Requires that all keyspaces have a function that had operands since this was called. */
    void requireFunctions() {
        for (Map.Entry<Integer, byte[]> operand : operands.entrySet()) {
            int number = operand.getKey();
            String name = names.get(number);
            boolean isNone = number > 0 && name == null; // any more, or it is lost: then its operands wait
            if (registry.mergerOf(number) == null && !(isNone && registry.hasSomeMerger())) {
                throw new MergeException(
                        KeyHeads.withoutHead(operand.getValue()),
                        "the write-ahead log has merges"
                                + (name == null
                                        ? ", and there is no function"
                                        : " into keyspace \"" + name + "\", and there is no function for it"),
                        null);
            }
        }
        operands.clear();
        last = Integer.MIN_VALUE;
    }
}
