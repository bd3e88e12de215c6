package io.flexdb.cli;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/** Bytes as text for people. */
final class Text {
    private Text() {}

    /** The bytes as UTF-8; empty if they are not. */
    static Optional<String> decoded(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /**
     * The bytes on one line. Bytes that are not UTF-8 and control characters are shown as \xNN, so that nothing of them
     * reaches a terminal; a backslash as two.
     */
    static String escaped(byte[] bytes) {
        Optional<String> text = decoded(bytes);
        if (text.isPresent()) {
            return escaped(text.get());
        }
        StringBuilder line = new StringBuilder();
        for (byte value : bytes) {
            escape(line, value >= 0 ? (char) value : '\uFFFF', value & 0xFF);
        }
        return line.toString();
    }

    /** Text on one line, without control characters. */
    static String escaped(String text) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            escape(line, text.charAt(i), text.charAt(i));
        }
        return line.toString();
    }

    private static void escape(StringBuilder line, char c, int code) {
        switch (c) {
            case '\\' -> line.append("\\\\");
            case '\t' -> line.append("\\t");
            case '\n' -> line.append("\\n");
            case '\r' -> line.append("\\r");
            default -> {
                if (c == '\uFFFF' || Character.isISOControl(c)) {
                    line.append(String.format(Locale.ROOT, "\\x%02x", code));
                } else {
                    line.append(c);
                }
            }
        }
    }
}
