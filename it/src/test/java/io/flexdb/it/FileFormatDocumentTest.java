package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The byte tables in the document are those of the classes that write and read the files. */
class FileFormatDocumentTest {
    private static final Pattern TABLE = Pattern.compile("<pre>\n(.*?) \\* </pre>", Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "FilePreamble",
                "SegmentFormat",
                "TreeFileFormat",
                "LogFormat",
                "LogBatch",
                "NodeImageFormat",
                "WalFormat",
                "WritePayload",
                "LargeReference",
                "KeyHeads",
                "KeyspaceDirectory",
                "IntervalsFile",
                "DirectoriesFile",
                "interval/Directory",
                "RunFileFormat",
                "RecordFormat",
                "WaitingOperands"
            })
    void theDocumentHasTheTablesOfTheClass(String className) throws IOException {
        String document = Sources.document("file-format.md");
        List<String> tables = tables(Sources.of(className));
        assertFalse(tables.isEmpty(), className + " has no table");
        for (String table : tables) {
            assertTrue(
                    document.contains("```text\n" + table + "```\n"),
                    "docs/file-format.md lacks, from " + className + ":\n" + table);
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
