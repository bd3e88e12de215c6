package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The byte tables in the document are those of the classes that write and read the files. */
class FileFormatDocumentTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern TABLE = Pattern.compile("<pre>\n(.*?) \\* </pre>", Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "flexspace/src/main/java/io/flexdb/flexspace/internal/FilePreamble.java",
                "flexspace/src/main/java/io/flexdb/flexspace/internal/SegmentFormat.java",
                "flexspace/src/main/java/io/flexdb/flexspace/internal/TreeFileFormat.java",
                "flexspace/src/main/java/io/flexdb/flexspace/internal/LogFormat.java",
                "flexspace/src/main/java/io/flexdb/flexspace/internal/LogBatch.java",
                "flextree/src/main/java/io/flexdb/flextree/internal/NodeImageFormat.java",
                "flexdb/src/main/java/io/flexdb/internal/wal/WalFormat.java",
                "flexdb/src/main/java/io/flexdb/internal/memtable/WritePayload.java",
                "flexdb/src/main/java/io/flexdb/internal/store/AnchorsFile.java"
            })
    void theDocumentHasTheTablesOfTheClass(String source) throws IOException {
        String document = Files.readString(ROOT.resolve("docs/file-format.md"));
        List<String> tables = tables(Files.readString(ROOT.resolve(source)));
        assertFalse(tables.isEmpty(), source + " has no table");
        for (String table : tables) {
            assertTrue(
                    document.contains("```text\n" + table + "```\n"),
                    "docs/file-format.md lacks, from " + source + ":\n" + table);
        }
    }

    private static List<String> tables(String source) {
        List<String> tables = new ArrayList<>();
        Matcher matcher = TABLE.matcher(source);
        while (matcher.find()) {
            tables.add(matcher.group(1).replaceAll("(?m)^ \\* ?", "").replaceAll("(?m) +$", ""));
        }
        return tables;
    }
}
