package io.flexdb;

import io.flexdb.StoreOracle.Edit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.Consumer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.state.Action;
import net.jqwik.api.state.ActionChain;
import net.jqwik.api.state.ActionChainArbitrary;
import net.jqwik.api.state.Transformer;

/**
 * A store against a sorted map, over short sequences of every operation there is, so that one that fails can be shrunk
 * to a few steps. Values repeat one byte: what matters is how long they are.
 */
class FlexDBModelTest {
    @Property
    void aStoreIsWhatTheSameWritesMakeOfASortedMap(@ForAll("histories") ActionChain<StoreDriver> history) {
        history.run();
    }

    @Provide
    Arbitrary<ActionChain<StoreDriver>> histories() {
        return actions(Durability.OS, FlexDBOptions.DERIVED, true, 1).withMaxTransformations(25);
    }

    @Property
    void whatIsAcknowledgedAsDurableSurvives(@ForAll("durableHistories") ActionChain<StoreDriver> history) {
        history.run();
    }

    @Provide
    Arbitrary<ActionChain<StoreDriver>> durableHistories() {
        return actions(Durability.SYNC, 300, true, 2).withMaxTransformations(20);
    }

    @Property
    void aStoreThatIsInterruptedAgainAndAgainLosesNoMoreThanItMay(
            @ForAll("interruptedHistories") ActionChain<StoreDriver> history) {
        history.run();
    }

    @Provide
    Arbitrary<ActionChain<StoreDriver>> interruptedHistories() {
        return actions(Durability.NONE, 0, false, 8).withMaxTransformations(25);
    }

    private static ActionChainArbitrary<StoreDriver> actions(
            Durability durability, int stitchingThreshold, boolean filter, int ends) {
        return ActionChain.startWith(() -> new StoreDriver(StoreDriver.SMALL
                        .withDurability(durability)
                        .withStitchingThresholdBytes(stitchingThreshold)
                        .withRangeFilter(filter)))
                .withAction(12, puts())
                .withAction(4, deletes())
                .withAction(4, expiringPuts())
                .withAction(3, waits())
                .withAction(5, merges())
                .withAction(3, fills())
                .withAction(4, batches())
                .withAction(3, rangeDeletes())
                .withAction(1, defragmentations())
                .withAction(2, step("save at rest", store -> store.db.saveAtRest()))
                .withAction(1, step("flush", StoreDriver::flush))
                .withAction(1, compactions())
                .withAction(2, loads())
                .withAction(2, largeTransactions())
                .withAction(3, walks())
                .withAction(3, gets())
                .withAction(2, step("take or check a snapshot", store -> store.takeOrCheckSnapshot("snapshot")))
                .withAction(1, step("sync", StoreDriver::sync))
                .withAction(ends, step("close and open", store -> store.reopen("reopened")))
                .withAction(ends, step("kill and open", store -> store.kill("killed")))
                .withAction(ends, cuts());
    }

    private static Action.Independent<StoreDriver> step(String what, Consumer<StoreDriver> operation) {
        return () -> Arbitraries.just(Transformer.mutate(what, operation));
    }

    private static Action.Independent<StoreDriver> puts() {
        return () -> Combinators.combine(keys(), values())
                .as((key, value) -> Transformer.mutate(
                        "put " + key + " of " + value.length + " bytes", store -> store.put(bytes(key), value)));
    }

    private static Action.Independent<StoreDriver> expiringPuts() {
        return () -> Combinators.combine(keys(), values(), ttls())
                .as((key, value, ttl) -> Transformer.mutate(
                        "put " + key + " of " + value.length + " bytes for " + ttl + " ms",
                        store -> store.put(bytes(key), value, ttl)));
    }

    private static Action.Independent<StoreDriver> merges() {
        return () -> Combinators.combine(keys(), operands())
                .as((key, operand) -> Transformer.mutate(
                        "merge " + operand.length + " bytes into " + key, store -> store.merge(bytes(key), operand)));
    }

    private static Arbitrary<byte[]> operands() {
        return Arbitraries.bytes().array(byte[].class).ofMaxSize(30);
    }

    private static Action.Independent<StoreDriver> waits() {
        return () -> Arbitraries.longs()
                .between(1, 1500)
                .map(millis -> Transformer.mutate("wait " + millis + " ms", store -> store.clock.advance(millis)));
    }

    private static Arbitrary<Long> ttls() {
        return Arbitraries.longs().between(1, 2000);
    }

    private static Action.Independent<StoreDriver> deletes() {
        return () -> keys().map(key -> Transformer.mutate("delete " + key, store -> store.delete(bytes(key))));
    }

    /** Enough of one size to end a memtable, and so to make the committer work. */
    private static Action.Independent<StoreDriver> fills() {
        return () -> Combinators.combine(
                        Arbitraries.integers().between(0, 999),
                        Arbitraries.integers().between(1, 150),
                        Arbitraries.integers().between(0, 900))
                .as((first, count, bytes) ->
                        Transformer.mutate("put " + count + " of " + bytes + " bytes from " + first, store -> {
                            for (int i = 0; i < count; i++) {
                                store.put(bytes((first + 7 * i) % 1000), value(bytes, first));
                            }
                        }));
    }

    private static Action.Independent<StoreDriver> batches() {
        Arbitrary<Edit> edits = Combinators.combine(
                        keys(),
                        values().injectNull(0.3),
                        Arbitraries.integers().between(1, 400).injectNull(0.8),
                        ttls().injectNull(0.8),
                        operands().injectNull(0.7))
                .as((key, value, covered, ttl, operand) -> {
                    if (operand != null) {
                        return Edit.merge(bytes(key), operand);
                    }
                    if (covered != null) {
                        return Edit.range(bytes(key), bytes(key + covered));
                    }
                    byte[] kept = value == null || value.length > 4000 ? null : value;
                    return kept == null || ttl == null
                            ? new Edit(bytes(key), kept)
                            : Edit.expiring(bytes(key), kept, ttl);
                });
        return () -> Combinators.combine(edits.list().ofMinSize(1).ofMaxSize(12), Arbitraries.of(Durability.class))
                .as((batch, durability) -> Transformer.mutate(
                        "batch of " + batch.size() + ", " + durability, store -> store.batch(batch, durability)));
    }

    private static Action.Independent<StoreDriver> rangeDeletes() {
        return () -> Combinators.combine(
                        keys().injectNull(0.1),
                        Arbitraries.integers().between(0, 300).injectNull(0.1))
                .as((from, count) -> {
                    Integer to = count == null ? null : (from == null ? 0 : from) + count;
                    return Transformer.mutate(
                            "delete from " + from + " to " + to,
                            store -> store.deleteRange(
                                    from == null ? null : bytes(from), to == null ? null : bytes(to)));
                });
    }

    private static Action.Independent<StoreDriver> defragmentations() {
        return () -> Arbitraries.just(Transformer.mutate("defragment", store -> store.db.defragment()));
    }

    private static Action.Independent<StoreDriver> compactions() {
        return () -> Combinators.combine(
                        keys().injectNull(0.3), Arbitraries.integers().between(1, 600))
                .as((from, count) -> Transformer.mutate(
                        "compact " + count + " from " + from,
                        store -> store.compact(
                                from == null ? null : bytes(from), from == null ? null : bytes(from + count))));
    }

    private static Action.Independent<StoreDriver> loads() {
        return () -> Combinators.combine(
                        Arbitraries.integers().between(0, 900),
                        Arbitraries.integers().between(1, 300),
                        Arbitraries.of(1, 1, 2, 5, 40),
                        values())
                .as((first, count, step, value) -> Transformer.mutate(
                        "load " + count + " of " + value.length + " bytes from " + first + ", each " + step, store -> {
                            TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
                            int most = value.length > 4000 ? 3 : count;
                            for (int i = 0; i < most && first + i * step < 1000; i++) {
                                pairs.put(bytes(first + i * step), value);
                            }
                            store.load(pairs);
                        }));
    }

    private static Action.Independent<StoreDriver> largeTransactions() {
        return () -> Combinators.combine(
                        keys(),
                        Arbitraries.integers().between(60, 200),
                        Arbitraries.of(1, 3, 7, 40),
                        Arbitraries.integers().between(300, 900),
                        Arbitraries.integers().between(1, 300).injectNull(0.5),
                        keys().injectNull(0.7))
                .as((first, count, step, bytes, covered, meanwhile) -> Transformer.mutate(
                        "transaction of " + count + " of " + bytes + " bytes from " + first + ", each " + step
                                + ", deleting " + covered + ", while somebody writes " + meanwhile,
                        store -> {
                            List<Edit> edits = new ArrayList<>();
                            if (covered != null) {
                                edits.add(Edit.range(bytes(first), bytes(first + covered)));
                            }
                            for (int i = 0; i < count; i++) {
                                int key = (first + i * step) % 1000;
                                edits.add(
                                        i % 9 == 4
                                                ? new Edit(bytes(key), null)
                                                : i % 9 == 5
                                                        ? Edit.merge(bytes(key), value(3, i))
                                                        : new Edit(bytes(key), value(bytes, i)));
                            }
                            Edit other = meanwhile == null ? null : new Edit(bytes(meanwhile), value(5, 5));
                            store.transaction(edits, edits, other, Isolation.SNAPSHOT);
                        }));
    }

    private static Action.Independent<StoreDriver> walks() {
        Arbitrary<List<Boolean>> steps = Arbitraries.of(true, false).list().ofMaxSize(30);
        Arbitrary<Integer> lengths = Arbitraries.integers().between(0, 300).injectNull(0.7);
        return () -> Combinators.combine(
                        keys(),
                        Arbitraries.of(true, false),
                        keys().injectNull(0.7),
                        lengths,
                        Arbitraries.of(0, 1, 20),
                        steps)
                .as((from, below, lower, length, expected, path) -> {
                    Integer upper = length == null ? null : (lower == null ? from : lower) + length;
                    return Transformer.mutate(
                            "walk from " + from + (below ? " or below" : "") + " within " + lower + " and " + upper
                                    + " by " + path + ", expecting " + expected,
                            store -> store.walk(
                                    bytes(from),
                                    below,
                                    bytesOrNull(lower),
                                    bytesOrNull(upper),
                                    expected,
                                    path,
                                    "walk"));
                });
    }

    private static byte[] bytesOrNull(Integer key) {
        return key == null ? null : bytes(key);
    }

    private static Action.Independent<StoreDriver> gets() {
        return () -> keys().map(key -> Transformer.mutate("get " + key, store -> store.get(bytes(key), "get")));
    }

    private static Action.Independent<StoreDriver> cuts() {
        return () -> Arbitraries.longs()
                .between(0, 1 << 20)
                .map(seed -> Transformer.mutate("power cut " + seed, store -> store.powerCut(seed, "cut")));
    }

    private static Arbitrary<Integer> keys() {
        return Arbitraries.integers().between(0, 999);
    }

    private static byte[] bytes(int key) {
        return String.format(Locale.ROOT, "key%04d", key).getBytes(StandardCharsets.UTF_8);
    }

    private static Arbitrary<byte[]> values() {
        Arbitrary<Integer> lengths = Arbitraries.frequencyOf(
                Tuple.of(8, Arbitraries.integers().between(0, 100)),
                Tuple.of(3, Arbitraries.integers().between(0, 4000)),
                Tuple.of(1, Arbitraries.integers().between(0, 50_000)));
        return Combinators.combine(lengths, Arbitraries.integers().between(0, 255))
                .as(FlexDBModelTest::value);
    }

    private static byte[] value(int length, int filler) {
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) filler);
        return value;
    }
}
