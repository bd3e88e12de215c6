package io.flexdb.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** Keys and values as arguments: text, hex:, text:, @file, or - for standard input. */
final class ByteArgument {
    private static final String HEX = "hex:";
    private static final String TEXT = "text:";

    private ByteArgument() {}

    /** The bytes that an argument stands for. */
    static byte[] bytes(FlexDBCli cli, String argument) throws IOException {
        if (argument.equals("-")) {
            return cli.in().readAllBytes();
        }
        if (isFile(argument)) {
            return Files.readAllBytes(file(argument));
        }
        if (argument.startsWith(HEX)) {
            return hex(argument.substring(HEX.length()));
        }
        String text = argument.startsWith(TEXT) ? argument.substring(TEXT.length()) : argument;
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The bytes of an argument that may be missing: null for null. */
    static byte[] optional(FlexDBCli cli, String argument) throws IOException {
        return argument == null ? null : bytes(cli, argument);
    }

    /** Whether the argument names a file. */
    static boolean isFile(String argument) {
        return argument.startsWith("@");
    }

    /** The file that an argument names. */
    static Path file(String argument) {
        return Path.of(argument.substring(1));
    }

    private static byte[] hex(String digits) {
        try {
            return HexFormat.of().parseHex(digits);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    HEX + digits + " is not bytes in hexadecimal: expected two digits for each byte", e);
        }
    }
}
