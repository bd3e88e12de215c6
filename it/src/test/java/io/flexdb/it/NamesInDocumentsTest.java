package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documents speak of classes that there are, and the glossary is in order. */
class NamesInDocumentsTest {
    private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z]\\w*)(?:\\.(\\w+))?(?:\\([^`]*\\))?`");
    private static final Set<String> OF_OTHERS = Set.of(
            "ByteBuffer",
            "ClosedByInterruptException",
            "Duration",
            "FileChannel",
            "Files",
            "IllegalArgumentException",
            "IllegalStateException",
            "Integer",
            "InvalidStateStoreException", // of Kafka Streams
            "MemorySegment",
            "NoSuchFileException",
            "NullPointerException",
            "OverlappingFileLockException",
            "ProcessorStateException", // of Kafka Streams
            "ReadOnlyFileSystemException",
            "System",
            "TreeMap",
            "Unsafe",
            "UnsupportedOperationException",
            "VarHandle");

    private static final Set<String> CLASSES = Sources.files()
            .map(path -> path.getFileName().toString().replace(".java", ""))
            .collect(Collectors.toSet());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "glossary.md",
                "architecture.md",
                "files.md",
                "paper-map.md",
                "crash-consistency.md",
                "testing.md",
                "operations.md",
                "tuning.md",
                "tutorial.md",
                "recipes.md",
                "limits.md",
                "typed.md",
                "kafka-streams.md",
                "backup.md",
                "monitoring.md",
                "faq.md",
                "../README.md",
                "../CHANGELOG.md",
                "../CONTRIBUTING.md"
            })
    void theClassesThatADocumentNamesAreThere(String document) throws IOException {
        Set<String> unknown = new TreeSet<>();
        for (MatchResult name : names(Sources.document(document))) {
            String className = name.group(1);
            String member = name.group(2);
            if (OF_OTHERS.contains(className)) {
                continue;
            }
            if (!CLASSES.contains(className)) {
                unknown.add(className);
            } else if (member != null && !Sources.of(className).matches("(?s).*\\b" + member + "\\b.*")) {
                unknown.add(className + "." + member);
            }
        }
        assertEquals(Set.of(), unknown);
    }

    @Test
    void theTermsOfTheGlossaryAreInOrderAndEachStandsOnce() throws IOException {
        String glossary = Sources.document("glossary.md").split("\n## ", 2)[0];
        List<String> terms = Pattern.compile("(?m)^- \\*\\*(.+?)\\*\\*")
                .matcher(glossary)
                .results()
                .map(term -> term.group(1))
                .toList();
        assertTrue(terms.size() > 40, () -> "terms: " + terms);
        Set<String> sorted = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        sorted.addAll(terms);
        assertEquals(List.copyOf(sorted), terms);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "architecture.md",
                "backup.md",
                "benchmarks.md",
                "crash-consistency.md",
                "faq.md",
                "file-format.md",
                "files.md",
                "glossary.md",
                "operations.md",
                "testing.md",
                "tuning.md",
                "tutorial.md",
                "recipes.md",
                "limits.md",
                "monitoring.md",
                "coming-from.md",
                "typed.md",
                "kafka-streams.md",
                "../README.md",
                "../CHANGELOG.md"
            })
    void linesOfProseAreShort(String document) throws IOException {
        int longest = 120;
        String prose = Sources.document(document).replaceAll("(?s)```.*?```", "");
        assertEquals(
                List.of(),
                prose.lines()
                        .filter(line -> line.length() > longest && !line.startsWith("|"))
                        .toList());
    }

    private static List<MatchResult> names(String document) {
        return CLASS.matcher(document).results().toList();
    }
}
