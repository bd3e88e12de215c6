package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each Javadoc stands alone: its first sentence does not lean on what another member says. */
class FirstSentencesTest {
    private static final Pattern LEANS = Pattern.compile("/\\*\\*[\\s*]*(?:The same|As)\\b");
    private static final Path BENCHMARKS = Path.of("..", "jmh");

    @Test
    void noJavadocBeginsWithWhatAnotherSays() throws IOException {
        List<Path> sources = Sources.files()
                .filter(path -> path.toString().contains("main") && !path.startsWith(BENCHMARKS))
                .toList();
        assertTrue(sources.size() > 200, () -> "sources: " + sources.size());
        Set<String> leaning = new TreeSet<>();
        for (Path path : sources) {
            String text = Files.readString(path);
            LEANS.matcher(text)
                    .results()
                    .map(found -> path.getFileName() + ":"
                            + (text.substring(0, found.end()).lines().count()))
                    .forEach(leaning::add);
        }
        assertEquals(Set.of(), leaning, "say what it does instead of \"The same\" and \"As\"");
    }

    @Test
    void aSentenceThatLeansIsFound() {
        assertTrue(LEANS.matcher("    /** The same for a file. */").find());
        assertTrue(LEANS.matcher("/**\n     * As others know it.\n     */").find());
        assertTrue(!LEANS.matcher("/** Assigns the same number. */").find());
    }
}
