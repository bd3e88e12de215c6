package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Bytecode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The JVM's optimizing compiler compiles a hot method again as a part of each caller, unless it has more than
 * {@code FreqInlineSize} bytecodes, 325 by default. In a young JVM walks and lookups wait for the compiler, so these
 * methods are to stay units of their own. Before one is made smaller, find another cut and measure the first seconds.
 */
class CompilationUnitsTest {
    private static final int FREQ_INLINE_SIZE = 325;
    private static final Pattern BYTECODE = Pattern.compile("^ *([0-9]+): [a-z]", Pattern.MULTILINE);

    @ParameterizedTest
    @CsvSource({
        "mem.KeyTree, findLeaf",
        "read.MergeCursor, choose",
        "read.SpaceCursor, stand",
        "read.PairReader, loadPairs",
        "read.IntervalReader, load",
        "read.StoreReader, find"
    })
    void hotMethodsAreTooLargeToBeCompiledWithEachCaller(String className, String method) {
        int largest = 0;
        for (String part : Bytecode.of("io.flexdb.internal." + className).split("\n\n")) {
            if (part.lines().findFirst().orElse("").contains(" " + method + "(")) {
                Matcher bytecode = BYTECODE.matcher(part);
                while (bytecode.find()) {
                    largest = Math.max(largest, Integer.parseInt(bytecode.group(1)));
                }
            }
        }
        assertTrue(largest >= FREQ_INLINE_SIZE, className + "." + method + " has " + largest + " bytecodes");
    }
}
