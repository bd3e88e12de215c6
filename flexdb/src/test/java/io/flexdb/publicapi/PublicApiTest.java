package io.flexdb.publicapi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Member;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The public API of each library is the one that {@code src/test/resources/api} has, a line for each type and member, so
 * that a review sees each change of it as a changed line. It stands alone, and can grow.
 *
 * <p>After an intended change, write the files anew:
 * {@code mvn -pl flexdb -am test -Dtest=PublicApiTest -Dsurefire.failIfNoSpecifiedTests=false -Dflexdb.test.rewrite=true}
 */
class PublicApiTest {
    private static final boolean REWRITE = Boolean.getBoolean("flexdb.test.rewrite");
    private static final Path DIRECTORY = Path.of("src", "test", "resources", "api");

    /** Records whose components are all that there will ever be. */
    private static final Set<String> SMALL_VALUES =
            Set.of("io.flexdb.KeyValue", "io.flexdb.storage.StoreHealth", "io.flexdb.flexspace.FlexSpace$Extent");

    @ParameterizedTest
    @ValueSource(strings = {"flextree", "flexspace", "flexdb"})
    void isTheOneThatIsWrittenDown(String module) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Class<?> type : PublicApi.types(module)) {
            lines.addAll(PublicApi.lines(type));
        }
        Path file = DIRECTORY.resolve(module + ".txt");
        if (REWRITE) {
            Files.createDirectories(DIRECTORY);
            Files.write(file, lines);
        }
        List<String> written = Files.readAllLines(file);
        assertEquals(
                String.join("\n", written),
                String.join("\n", lines),
                () -> "the public API of " + module + " has changed: " + difference(written, lines)
                        + "\nIf that is meant, write flexdb/" + file + " anew, and commit it: mvn -pl flexdb -am test"
                        + " -Dtest=PublicApiTest -Dsurefire.failIfNoSpecifiedTests=false -Dflexdb.test.rewrite=true");
    }

    private static String difference(List<String> written, List<String> now) {
        StringBuilder text = new StringBuilder();
        written.stream()
                .filter(line -> !now.contains(line))
                .forEach(line -> text.append("\n- ").append(line));
        now.stream()
                .filter(line -> !written.contains(line))
                .forEach(line -> text.append("\n+ ").append(line));
        return text.toString();
    }

    @Test
    void mentionsNothingThatUsersCannotSee() throws IOException {
        Set<String> exported = new TreeSet<>();
        for (String module : PublicApi.MODULES) {
            exported.addAll(PublicApi.packages(module));
        }
        Set<String> faults = new TreeSet<>();
        for (String module : PublicApi.MODULES) {
            for (Class<?> type : PublicApi.types(module)) {
                addUnseen(type.getName(), type, exported, faults);
                for (AnnotatedElement member : PublicApi.members(type).values()) {
                    String name = member instanceof Constructor<?> ? "<init>" : ((Member) member).getName();
                    addUnseen(type.getName() + " " + name, member, exported, faults);
                }
            }
        }
        assertEquals(Set.of(), faults, "types of internal packages in the public API");
    }

    private static void addUnseen(String where, AnnotatedElement declared, Set<String> exported, Set<String> faults) {
        for (Class<?> used : PublicApi.mentioned(declared)) {
            String room = used.getPackageName();
            boolean seen = room.startsWith("java.")
                    || exported.contains(room)
                    || (room.equals("org.agrona") && where.startsWith("io.flexdb.agrona."));
            if (!seen) {
                faults.add(where + " " + used.getName());
            }
        }
    }

    @Test
    void hasRecordsForSmallValuesOnly() throws IOException {
        Set<String> records = new TreeSet<>();
        for (String module : PublicApi.MODULES) {
            for (Class<?> type : PublicApi.types(module)) {
                if (type.isRecord()) {
                    records.add(type.getName());
                }
            }
        }
        assertEquals(new TreeSet<>(SMALL_VALUES), records, "another component would break callers: use an interface");
    }

    @Test
    void hasTypesInEachModule() throws IOException {
        for (String module : PublicApi.MODULES) {
            assertTrue(PublicApi.types(module).size() > 4, module);
        }
    }
}
