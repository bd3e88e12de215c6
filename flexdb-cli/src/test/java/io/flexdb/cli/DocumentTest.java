package io.flexdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** docs/cli.md shows what the command does. */
class DocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "cli.md");
    private static final String EXIT_CODE = "; echo $?";

    @TempDir
    private Path directory;

    @Test
    void sessionIsAsTheCommandPrintsIt() throws Exception {
        Others.make("rocksdb", directory.resolve("rocksdb"));
        Files.createDirectory(directory.resolve("jars"));
        String text = Files.readString(DOCUMENT);
        int begin = text.indexOf("```console\n") + "```console\n".length();
        String session = text.substring(begin, text.indexOf("```", begin));
        StringBuilder printed = new StringBuilder();
        List<String> commands =
                session.lines().filter(line -> line.startsWith("$ ")).toList();
        assertTrue(commands.size() > 10, session);
        for (String command : commands) {
            printed.append(command).append('\n').append(output(command.substring(2)));
        }
        assertEquals(masked(session), masked(printed.toString().replace(directory.toString(), "/srv")));
    }

    private String output(String command) {
        String arguments = command.replace(EXIT_CODE, "").replace("/srv", directory.toString());
        String[] words = arguments.split(" ");
        assertEquals("flexdb", words[0]);
        Object[] rest = Arrays.copyOfRange(words, 1, words.length, Object[].class);
        Tool.Result result = Tool.run(rest);
        String text = result.out() + result.err();
        if (command.endsWith(EXIT_CODE)) {
            return text + result.code() + "\n";
        }
        assertEquals(0, result.code(), text);
        return text;
    }

    /** Times, ids and sizes differ from one run to the next. */
    private static String masked(String text) {
        return text.replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "TIME")
                .replaceAll("\\b[0-9a-f]{16}\\b", "ID")
                .replaceAll("files      \\d+", "files      N")
                .replaceAll("[0-9.]+ (B|KiB|MiB)", "SIZE");
    }

    @Test
    void allCommandsAreInTheDocument() throws IOException {
        String text = Files.readString(DOCUMENT);
        CommandLine commandLine = new CommandLine(new FlexDBCli(null, System.out, System.err, false));
        commandLine.getSubcommands().keySet().forEach(name -> assertTrue(text.contains(name), name));
    }

    @Test
    void allExitCodesAreInTheDocument() throws IOException, IllegalAccessException {
        String text = Files.readString(DOCUMENT);
        List<Integer> codes = new ArrayList<>();
        for (Field field : ExitCode.class.getDeclaredFields()) {
            if (field.getType() == int.class) {
                codes.add(field.getInt(null));
            }
        }
        assertEquals(7, codes.size());
        codes.forEach(code -> assertTrue(text.contains("\n- " + code + ": "), String.valueOf(code)));
    }
}
