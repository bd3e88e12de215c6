package io.flexdb.cli;

import java.util.Locale;

/** Strings of JSON. */
final class Json {
    private Json() {}

    /** The text in quotes, as RFC 8259 has it. */
    static String string(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (Character.isISOControl(c)) {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
