package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A class whose initializer meets a full heap is of no use ever after: each use throws a NoClassDefFoundError, until
 * the JVM ends. So the classes of an open store that make objects then have done that when it is open.
 */
class FirstUsesTest {
    private static final Pattern INITIALIZED = Pattern.compile("Initializing '(io/flexdb/[^']+)'(?! ?\\(no method\\))");

    @TempDir
    private Path directory;

    @Test
    void anOpenStoreHasInitializedWhatItUses() throws Exception {
        requireNothingLate(false);
        requireNothingLate(true);
    }

    private void requireNothingLate(boolean read) throws Exception {
        List<String> late = new ArrayList<>();
        boolean open = false;
        boolean used = false;
        int initialized = 0;
        for (String line : outputOfFirstUses(read)) {
            open |= line.equals(FirstUses.OPEN);
            used |= line.equals(FirstUses.USED);
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
        assertEquals(List.of(), late, read ? "initialized late by reads" : "initialized late");
    }

    private List<String> outputOfFirstUses(boolean read) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-Xlog:class+init=info:stdout",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FirstUses.class.getName(),
                        directory.toString(),
                        String.valueOf(read))
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
