package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Packages are rooms with doors that point down: none knows one that knows it, and each says what it is. */
class RoomsTest {
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
    private static final Pattern IMPORT =
            Pattern.compile("(?m)^import (?:static )?(io\\.flexdb(?:\\.[a-z]\\w*)*)\\.[A-Z]");

    @Test
    void noPackageKnowsOneThatKnowsIt() {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (Path path : mainSources()) {
            String text = read(path);
            String room = packageOf(text);
            Set<String> used = uses.computeIfAbsent(room, name -> new TreeSet<>());
            IMPORT.matcher(text).results().map(found -> found.group(1)).forEach(used::add);
            used.remove(room); // static imports of its own classes
        }
        assertTrue(uses.size() > 20, uses::toString);
        List<String> circles = new ArrayList<>();
        for (String room : uses.keySet()) {
            if (reachable(uses, uses.get(room)).contains(room)) {
                circles.add(room);
            }
        }
        assertEquals(List.of(), circles, "packages that reach themselves by imports");
    }

    @Test
    void theStoreHasNineRooms() {
        String prefix = "io.flexdb.internal.";
        Set<String> rooms = mainSources().stream()
                .map(RoomsTest::packageOf)
                .filter(name -> name.startsWith(prefix))
                .map(name -> name.substring(prefix.length()))
                .collect(Collectors.toSet());
        assertEquals(Set.of("tools", "open", "txn", "write", "read", "interval", "log", "mem", "base"), rooms);
    }

    private static Set<String> reachable(Map<String, Set<String>> uses, Collection<String> from) {
        Set<String> seen = new TreeSet<>();
        Deque<String> left = new ArrayDeque<>(from);
        while (!left.isEmpty()) {
            String next = left.remove();
            if (seen.add(next)) {
                left.addAll(uses.getOrDefault(next, Set.of()));
            }
        }
        return seen;
    }

    @Test
    void eachPackageSaysWhatItIs() {
        Set<String> silent = new TreeSet<>();
        Set<String> speaking = new TreeSet<>();
        for (Path path : mainSources()) {
            String name = packageOf(path);
            (path.endsWith("package-info.java") ? speaking : silent).add(name);
        }
        silent.removeAll(speaking);
        assertEquals(Set.of(), silent, "packages without a package-info");
    }

    private static List<Path> mainSources() {
        return Sources.files()
                .filter(path -> path.toString().replace('\\', '/').contains("/src/main/java/"))
                .filter(path -> !path.endsWith("module-info.java"))
                .toList();
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String packageOf(Path path) {
        return packageOf(read(path));
    }

    private static String packageOf(String text) {
        Matcher found = PACKAGE.matcher(text);
        assertTrue(found.find());
        return found.group(1);
    }
}
