package io.flexdb.site;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Marks comments, texts, annotations and words of the language in Java code. */
final class JavaColours {
    private static final String WORDS = "abstract|boolean|break|byte|case|catch|char|class|continue|default|do|double"
            + "|else|enum|extends|false|final|finally|float|for|if|implements|import|instanceof|int|interface|long|new"
            + "|null|package|private|protected|public|record|return|short|static|super|switch|synchronized|this|throw"
            + "|throws|true|try|void|volatile|while";
    private static final Pattern PART = Pattern.compile("(?<comment>//[^\n]*|/\\*[\\s\\S]*?\\*/)"
            + "|(?<text>\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*')|(?<mark>@\\w+)|\\b(?<word>" + WORDS
            + ")\\b");

    private JavaColours() {}

    /** The code as HTML, in which {@code span} elements have the classes {@code comment, text, mark} and {@code word}. */
    static String html(String code) {
        StringBuilder html = new StringBuilder();
        Matcher part = PART.matcher(code);
        int done = 0;
        while (part.find()) {
            html.append(Html.escaped(code.substring(done, part.start())));
            html.append("<span class=\"").append(kind(part)).append("\">");
            html.append(Html.escaped(part.group())).append("</span>");
            done = part.end();
        }
        return html.append(Html.escaped(code.substring(done))).toString();
    }

    private static String kind(Matcher part) {
        for (String kind : new String[] {"comment", "text", "mark"}) {
            if (part.group(kind) != null) {
                return kind;
            }
        }
        return "word";
    }
}
