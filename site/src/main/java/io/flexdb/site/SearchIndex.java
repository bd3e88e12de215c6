package io.flexdb.site;

import java.util.List;
import java.util.Locale;

/** The index of the site's search: a script that sets an array of sections. It needs no server. */
final class SearchIndex {
    private SearchIndex() {}

    /** A script with an entry for each section: its address, the page's title, its own, its text. */
    static String of(List<Page> pages) {
        StringBuilder script = new StringBuilder("window.sections = [");
        for (Page page : pages) {
            for (Page.Section section : page.sections()) {
                script.append("\n[")
                        .append(quoted(page.output() + (section.level() == 1 ? "" : "#" + section.id())))
                        .append(',')
                        .append(quoted(page.title()))
                        .append(',')
                        .append(quoted(section.title()))
                        .append(',')
                        .append(quoted(section.text()))
                        .append("],");
            }
        }
        return script.append("\n];\n").toString();
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c == '\u2028' || c == '\u2029') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
