package io.flexdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Runs the command in this JVM. */
final class Tool {
    private Tool() {}

    /** The result of a run. */
    record Result(int code, byte[] bytes, String err) {
        String out() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        Result expect(int expected) {
            assertEquals(expected, code, out() + err);
            return requireNoTrace();
        }

        Result requireNoTrace() {
            assertFalse(err.contains("\tat ") || out().contains("\tat "), err);
            return this;
        }
    }

    static Result run(Object... arguments) {
        return runWith(new byte[0], arguments);
    }

    static Result runWith(byte[] input, Object... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
        FlexDBCli cli = new FlexDBCli(new ByteArrayInputStream(input), out, errors, false);
        int code = cli.execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
        return new Result(code, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs it, expects success and nothing on standard error, and returns the output. */
    static String done(Object... arguments) {
        Result result = run(arguments).expect(ExitCode.DONE);
        assertEquals("", result.err());
        return result.out();
    }
}
