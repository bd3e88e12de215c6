package io.flexdb.typed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flexdb.FlexDB;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** A keyspace as a map does what the JDK's skip list does, for all methods, and in views of views. */
class KeyspaceMapModelTest {
    private static Path directory;
    private static FlexDB db;
    private static int made;

    @BeforeContainer
    static void open() throws IOException {
        directory = Files.createTempDirectory("maps");
        db = Stores.open(directory.resolve("data"));
    }

    @AfterContainer
    static void close() throws IOException {
        db.close();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(path -> path.toFile().delete());
        }
    }

    /** A method of a map with its arguments. */
    private interface Call {
        Object on(ConcurrentNavigableMap<String, Integer> map, Arguments arguments);
    }

    private record Arguments(String key, String other, boolean flag, boolean otherFlag, Integer value) {}

    private record Method(String name, Call call) {}

    private static Method method(String name, Call call) {
        return new Method(name, call);
    }

    private static final List<Method> METHODS = List.of(
            method("get", (map, with) -> map.get(with.key)),
            method("getOrDefault", (map, with) -> map.getOrDefault(with.key, -1)),
            method("containsKey", (map, with) -> map.containsKey(with.key)),
            method("containsValue", (map, with) -> map.containsValue(with.value)),
            method("put", (map, with) -> map.put(with.key, with.value)),
            method("put", (map, with) -> map.put(with.other, with.value)),
            method("put", (map, with) -> map.put(with.key, with.value)),
            method("put null", (map, with) -> map.put(with.flag ? null : with.key, with.flag ? 1 : null)),
            method("putAll", (map, with) -> {
                map.putAll(Map.of(with.key, with.value));
                return null;
            }),
            method("putIfAbsent", (map, with) -> map.putIfAbsent(with.key, with.value)),
            method("remove", (map, with) -> map.remove(with.key)),
            method("remove value", (map, with) -> map.remove(with.key, with.value)),
            method("remove null", (map, with) -> map.remove(with.flag ? null : with.key, null)),
            method("replace", (map, with) -> map.replace(with.key, with.value)),
            method("replace value", (map, with) -> map.replace(with.key, with.value, with.value + 1)),
            method("replace null", (map, with) -> map.replace(with.key, null, with.value)),
            method(
                    "compute",
                    (map, with) -> map.compute(
                            with.key, (key, old) -> with.flag ? null : old == null ? key.length() : old + 1)),
            method(
                    "computeIfAbsent",
                    (map, with) -> map.computeIfAbsent(with.key, key -> with.flag ? null : key.length())),
            method(
                    "computeIfPresent",
                    (map, with) -> map.computeIfPresent(with.key, (key, old) -> with.flag ? null : key.length() + old)),
            method(
                    "merge",
                    (map, with) -> map.merge(with.key, with.value, (old, more) -> with.flag ? null : old + more)),
            method("replaceAll", (map, with) -> {
                map.replaceAll((key, old) -> old + key.length());
                return null;
            }),
            method("size", (map, with) -> map.size()),
            method("isEmpty", (map, with) -> map.isEmpty()),
            method("clear", (map, with) -> {
                if (with.flag && with.otherFlag) {
                    map.clear();
                }
                return null;
            }),
            method(
                    "equals",
                    (map, with) -> map.equals(new ConcurrentSkipListMap<>(map)) && !map.equals(Map.of("none", -5))),
            method("hashCode", (map, with) -> map.hashCode()),
            method("toString", (map, with) -> map.toString()),
            method("forEach", (map, with) -> {
                List<Object> seen = new ArrayList<>();
                map.forEach((key, value) -> seen.add(Map.entry(key, value)));
                return seen;
            }),
            method("comparator", (map, with) -> Integer.signum(map.comparator().compare(with.key, with.other))),
            method("firstKey", (map, with) -> map.firstKey()),
            method("lastKey", (map, with) -> map.lastKey()),
            method("firstEntry", (map, with) -> map.firstEntry()),
            method("lastEntry", (map, with) -> map.lastEntry()),
            method("pollFirstEntry", (map, with) -> map.pollFirstEntry()),
            method("pollLastEntry", (map, with) -> map.pollLastEntry()),
            method("lowerEntry", (map, with) -> map.lowerEntry(with.key)),
            method("lowerKey", (map, with) -> map.lowerKey(with.key)),
            method("floorEntry", (map, with) -> map.floorEntry(with.key)),
            method("floorKey", (map, with) -> map.floorKey(with.key)),
            method("ceilingEntry", (map, with) -> map.ceilingEntry(with.key)),
            method("ceilingKey", (map, with) -> map.ceilingKey(with.key)),
            method("higherEntry", (map, with) -> map.higherEntry(with.key)),
            method("higherKey", (map, with) -> map.higherKey(with.key)),
            method("higherKey of null", (map, with) -> map.higherKey(null)),
            method("keySet", (map, with) -> keys(map.keySet(), with)),
            method("navigableKeySet", (map, with) -> keys(map.navigableKeySet(), with)),
            method("descendingKeySet", (map, with) -> keys(map.descendingKeySet(), with)),
            method(
                    "subSet",
                    (map, with) ->
                            keys(map.navigableKeySet().subSet(with.key, with.flag, with.other, with.otherFlag), with)),
            method("headSet", (map, with) -> keys(map.navigableKeySet().headSet(with.other, with.flag), with)),
            method("tailSet", (map, with) -> keys(map.navigableKeySet().tailSet(with.other, with.flag), with)),
            method("pollFirst", (map, with) -> map.navigableKeySet().pollFirst()),
            method("pollLast", (map, with) -> map.navigableKeySet().pollLast()),
            method("keySet.remove", (map, with) -> map.keySet().remove(with.key)),
            method("keySet.removeAll", (map, with) -> map.keySet().removeAll(List.of(with.key, with.other))),
            method(
                    "keySet.retainAll",
                    (map, with) ->
                            with.flag && with.otherFlag && map.keySet().retainAll(List.of(with.key, with.other))),
            method("keySet.removeIf", (map, with) -> map.keySet().removeIf(key -> key.equals(with.key))),
            method("entrySet", (map, with) -> List.copyOf(map.entrySet())),
            method("entrySet.contains", (map, with) -> map.entrySet().contains(Map.entry(with.key, with.value))),
            method("entrySet.remove", (map, with) -> map.entrySet().remove(Map.entry(with.key, with.value))),
            method(
                    "entrySet.removeIf",
                    (map, with) ->
                            map.entrySet().removeIf(entry -> entry.getValue().equals(with.value))),
            method("entrySet.setValue", (map, with) -> map.firstEntry().setValue(with.value)),
            method("values", (map, with) -> List.copyOf(map.values())),
            method("values.remove", (map, with) -> map.values().remove(with.value)),
            method("values.removeIf", (map, with) -> map.values().removeIf(value -> value.equals(with.value))),
            method(
                    "values.stream",
                    (map, with) ->
                            map.values().stream().map(String::valueOf).sorted().toList()),
            method("keySet.stream", (map, with) -> map.keySet().parallelStream().collect(Collectors.toList())),
            method("iterator.remove", KeyspaceMapModelTest::removeByIterator));

    private static List<Object> keys(NavigableSet<String> set, Arguments with) {
        List<Object> all = new ArrayList<>(set);
        all.add(set.contains(with.key));
        all.add(set.size());
        all.add(String.valueOf(set.lower(with.key)));
        all.add(String.valueOf(set.floor(with.key)));
        all.add(String.valueOf(set.ceiling(with.other)));
        all.add(String.valueOf(set.higher(with.other)));
        set.descendingIterator().forEachRemaining(all::add);
        set.descendingSet().forEach(all::add);
        all.add(set.isEmpty() ? "none" : set.first() + set.last());
        return all;
    }

    private static Object removeByIterator(ConcurrentNavigableMap<String, Integer> map, Arguments with) {
        Collection<?> view = with.flag ? map.values() : with.otherFlag ? map.keySet() : map.entrySet();
        Iterator<?> all = view.iterator();
        List<Object> seen = new ArrayList<>();
        while (all.hasNext()) {
            Object element = all.next();
            seen.add(element);
            if (element.hashCode() % 3 == 0) {
                all.remove();
            }
        }
        return seen;
    }

    /** A step from a map to a view of it. */
    private record Step(int kind, Arguments arguments) {
        ConcurrentNavigableMap<String, Integer> from(ConcurrentNavigableMap<String, Integer> map) {
            String low = arguments.key;
            String high = arguments.other;
            return switch (kind) {
                case 0 -> map.descendingMap();
                case 1 -> map.headMap(high, arguments.flag);
                case 2 -> map.tailMap(low, arguments.flag);
                case 3 -> map.subMap(low, arguments.flag, high, arguments.otherFlag);
                case 4 -> map.subMap(low, high);
                case 5 -> map.headMap(high);
                default -> map.tailMap(low);
            };
        }
    }

    private record Operation(List<Step> steps, Method method, Arguments arguments) {
        Object on(ConcurrentNavigableMap<String, Integer> map) {
            try {
                ConcurrentNavigableMap<String, Integer> view = map;
                for (Step step : steps) {
                    view = step.from(view);
                }
                return method.call.on(view, arguments);
            } catch (IllegalArgumentException
                    | NullPointerException
                    | UnsupportedOperationException
                    | java.util.NoSuchElementException e) {
                return e.getClass();
            }
        }

        @Override
        public String toString() {
            return method.name + " " + arguments + " in " + steps;
        }
    }

    /** All arbitraries are of lists, as those of numbers prefer small ones. */
    private static Arbitrary<Arguments> arguments() {
        Arbitrary<String> keys = Arbitraries.of("", "\0", "a", "a\0", "ab", "b", "\uffff", "\ud83d\ude00");
        Arbitrary<Boolean> flags = Arbitraries.of(false, true);
        return Combinators.combine(keys, keys, flags, flags, Arbitraries.of(0, 1, 2, 3))
                .as(Arguments::new);
    }

    @Provide
    Arbitrary<List<Operation>> operations() {
        Arbitrary<Step> steps = Combinators.combine(Arbitraries.of(0, 1, 2, 3, 4, 5, 6), arguments())
                .as(Step::new);
        Arbitrary<Operation> operations = Combinators.combine(
                        steps.list().ofMaxSize(3).withSizeDistribution(RandomDistribution.uniform()),
                        Arbitraries.of(METHODS),
                        arguments())
                .as(Operation::new);
        return operations.list().ofMinSize(1).ofMaxSize(200).withSizeDistribution(RandomDistribution.uniform());
    }

    @Property
    void doesAsTheSkipList(@ForAll("operations") List<Operation> operations) {
        ConcurrentNavigableMap<String, Integer> model =
                new ConcurrentSkipListMap<>(KeyCodec.strings().comparator());
        ConcurrentNavigableMap<String, Integer> map = TypedKeyspace.open(
                        db, "map " + made++, KeyCodec.strings(), Codec.ints())
                .asMap();
        for (Operation operation : operations) {
            Object expected = operation.on(model);
            Object found = operation.on(map);
            assertEquals(expected, found, operation::toString);
        }
        assertEquals(List.copyOf(model.entrySet()), List.copyOf(map.entrySet()));
        assertEquals(Objects.hash(model), Objects.hash(map));
    }
}
