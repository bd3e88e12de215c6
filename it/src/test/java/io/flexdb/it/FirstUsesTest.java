package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flextree.FlexTree;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A class whose initializer meets a full heap is of no use ever after: each use throws a NoClassDefFoundError, until
 * the JVM ends. So the classes of an open store that make objects then have done that when it is open. Likewise a
 * lambda whose code is made in a full heap may throw a BootstrapMethodError ever after: what a store needs to be read
 * and written has been made by then, or is no lambda.
 */
class FirstUsesTest {
    private static final Pattern INITIALIZED = Pattern.compile("Initializing '(io/flexdb/[^']+)'(?! ?\\(no method\\))");

    private static final Pattern LAMBDA = Pattern.compile("\\b(io\\.flexdb\\.[\\w.$]+)\\$\\$Lambda.* source: ");

    /**
     * Long tasks that are asked for, values that are staged, and memory that snapshots hold back: if one of these can't be
     * served any more, other reads and writes can.
     */
    private static final Set<String> MAY_BE_LATE = Set.of(
            "io.flexdb.FlexDB",
            "io.flexdb.Keyspace",
            "io.flexdb.Reports",
            "io.flexdb.flexspace.internal.check.ExtentChecker",
            "io.flexdb.flexspace.internal.check.LogChecker",
            "io.flexdb.flexspace.internal.check.SpaceChecker",
            "io.flexdb.flexspace.internal.check.TreeFileChecker",
            "io.flexdb.flexspace.internal.check.ViewChecker",
            "io.flexdb.flexspace.internal.copy.SpaceCopy",
            "io.flexdb.flexspace.internal.copy.TreeCopy",
            "io.flexdb.internal.base.PairWalk",
            "io.flexdb.internal.interval.StagedPieces",
            "io.flexdb.internal.mem.LargeValues",
            "io.flexdb.internal.open.Checkpoints",
            "io.flexdb.internal.open.NewStoreDirectory",
            "io.flexdb.internal.open.PinLimit",
            "io.flexdb.internal.open.Steps",
            "io.flexdb.internal.open.Store",
            "io.flexdb.internal.open.StoreChecker",
            "io.flexdb.internal.read.SpillArea",
            "io.flexdb.internal.write.CommitThread",
            "io.flexdb.internal.write.Errands",
            "io.flexdb.internal.write.Loads",
            "io.flexdb.internal.write.SpacePairs",
            "io.flexdb.internal.write.StoreLoad",
            "io.flexdb.internal.write.WritesLoad");

    @TempDir
    private Path directory;

    @Test
    void anOpenStoreHasInitializedWhatItUses() throws Exception {
        requireNothingLate(FirstUses.WRITE);
        requireNothingLate(FirstUses.WRITE_AGAIN); // in a store that is not new
        requireNothingLate(FirstUses.READ);
    }

    /** The compiler is told not to leave it to the JVM: an error's message may be the first one that a full heap joins. */
    @Test
    void noCodeIsMadeToJoinStrings() throws Exception {
        for (Class<?> one : List.of(FlexTree.class, FlexSpace.class, FlexDB.class)) {
            Path classes = Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(classes)) {
                requireNoJoins(classes);
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(classes)) {
                    requireNoJoins(jar.getPath("/"));
                }
            }
        }
    }

    private static void requireNoJoins(Path classes) throws IOException {
        int read = 0;
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file :
                    (Iterable<Path>) files.filter(found -> found.toString().endsWith(".class"))::iterator) {
                String constants = Files.readString(file, StandardCharsets.ISO_8859_1);
                assertFalse(constants.contains("makeConcat"), file.toString());
                read++;
            }
        }
        assertTrue(read > 20, read + " classes in " + classes);
    }

    private void requireNothingLate(String use) throws Exception {
        List<String> late = new ArrayList<>();
        Set<String> lateLambdas = new TreeSet<>();
        boolean open = false;
        boolean used = false;
        int initialized = 0;
        for (String line : outputOfFirstUses(use)) {
            open |= line.equals(FirstUses.OPEN);
            used |= line.equals(FirstUses.USED);
            Matcher lambda = LAMBDA.matcher(line);
            if (open && !used && lambda.find() && !lambda.group(1).startsWith(FirstUses.class.getPackageName() + ".")) {
                lateLambdas.add(lambda.group(1));
            }
            Matcher matcher = INITIALIZED.matcher(line);
            if (matcher.find()) {
                initialized++;
                String name = matcher.group(1).replace('/', '.');
                if (open && !used && makesObjects(name)) {
                    late.add(name);
                }
            }
        }
        assertTrue(used, "nothing was used");
        assertTrue(initialized > 0, "nothing was initialized");
        assertEquals(List.of(), late, "initialized late: " + use);
        assertEquals(
                !use.equals(FirstUses.READ),
                lateLambdas.contains("io.flexdb.internal.open.Checkpoints"),
                "lambdas are seen");
        lateLambdas.removeAll(MAY_BE_LATE);
        assertEquals(Set.of(), lateLambdas, "lambdas made late: " + use);
    }

    private List<String> outputOfFirstUses(String use) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-Xlog:class+init=info,class+load=info:stdout",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FirstUses.class.getName(),
                        directory.toString(),
                        use)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertEquals(0, process.waitFor(), output);
        return output.lines().toList();
    }

    /** Whether it has an object of its own: numbers, strings and whether assertions are enabled need no memory. */
    private static boolean makesObjects(String name) throws ClassNotFoundException {
        if (name.contains("$$Lambda") || name.startsWith(FirstUses.class.getPackageName())) {
            return false;
        }
        for (Field field :
                Class.forName(name, false, FirstUsesTest.class.getClassLoader()).getDeclaredFields()) {
            Class<?> type = field.getType();
            if (Modifier.isStatic(field.getModifiers()) && !type.isPrimitive() && type != String.class) {
                return true;
            }
        }
        return false;
    }
}
