package io.flexdb.it.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The Java code of a page stands in a class that is compiled and tested. Each paragraph of it, up to an empty line, is
 * a run of lines of such a class, all moved to the left by the same width.
 */
class SnippetsTest {
    private static final Path DOCUMENTS = Path.of("..", "docs");
    private static final Path CLASSES = Path.of("src", "test", "java", "io", "flexdb", "it", "pages");
    private static final Pattern CODE = Pattern.compile("(?s)\n```java\n(.*?)\n```\n");
    private static final int LONGEST_LINE = 120;

    @ParameterizedTest
    @CsvSource({
        "../README.md, 1, ReadmeExample",
        "tutorial.md, 12, OrderService TutorialTest",
        "recipes.md, 30, Recipes"
    })
    void codeOfThePageIsCompiledAndTested(String page, int least, String classes) throws IOException {
        List<List<String>> sources = Stream.of(classes.split(" "))
                .map(name -> linesOf(CLASSES.resolve(name + ".java")))
                .toList();
        List<String> missing = new ArrayList<>();
        int paragraphs = 0;
        for (String code : codeOf(Files.readString(DOCUMENTS.resolve(page)))) {
            for (String paragraph : code.split("\n\n")) {
                paragraphs++;
                if (sources.stream().noneMatch(source -> has(source, paragraph))) {
                    missing.add(paragraph);
                }
            }
        }
        assertEquals(List.of(), missing, "in the page and not in " + classes);
        assertTrue(paragraphs >= least, "paragraphs of code: " + paragraphs);
    }

    @ParameterizedTest
    @CsvSource({"tutorial.md", "recipes.md"})
    void codeOfThePageFitsItsLines(String page) throws IOException {
        List<String> tooLong = codeOf(Files.readString(DOCUMENTS.resolve(page))).stream()
                .flatMap(String::lines)
                .filter(line -> line.length() > LONGEST_LINE)
                .toList();
        assertEquals(List.of(), tooLong);
    }

    private static List<String> codeOf(String text) {
        return CODE.matcher(text).results().map(code -> code.group(1)).toList();
    }

    private static boolean has(List<String> source, String paragraph) {
        List<String> stripped = strip(paragraph.lines());
        List<String> sourceStripped = strip(source.stream());
        String left = paragraph.stripIndent();
        int from = 0;
        while (true) {
            int found = Collections.indexOfSubList(sourceStripped.subList(from, source.size()), stripped);
            if (found < 0) {
                return false;
            }
            from += found;
            List<String> lines = source.subList(from, from + stripped.size());
            if (lines.stream().collect(Collectors.joining("\n")).stripIndent().equals(left)) {
                return true;
            }
            from++;
        }
    }

    private static List<String> strip(Stream<String> lines) {
        return lines.map(String::strip).toList();
    }

    private static List<String> linesOf(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
