package io.flexdb.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.spi.ToolProvider;

/** The bytecode of classes under test. */
public final class Bytecode {
    private Bytecode() {}

    /**
     * All methods of a class as {@code javap -c -p} prints them, with an empty line between two.
     *
     * @param className with its package
     */
    public static String of(String className) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        int code = ToolProvider.findFirst("javap")
                .orElseThrow()
                .run(out, out, "-c", "-p", "-cp", System.getProperty("java.class.path"), className);
        assertEquals(0, code, text::toString);
        return text.toString();
    }
}
