package io.flexdb.files;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The globs of {@link java.nio.file.FileSystem#getPathMatcher}, as regular expressions. For one thread. */
final class Glob {
    private static final String SPECIAL = "\\^$.|?*+()[]{}";

    private final String glob;
    private final StringBuilder regex = new StringBuilder("^");
    private int at;
    private boolean inGroup;

    private Glob(String glob) {
        this.glob = glob;
    }

    /**
     * What paths match.
     *
     * @throws PatternSyntaxException if the glob is none
     */
    static Pattern pattern(String glob) {
        return new Glob(glob).pattern();
    }

    private Pattern pattern() {
        while (at < glob.length()) {
            char next = glob.charAt(at++);
            switch (next) {
                case '\\' -> literal(escaped());
                case '*' -> stars();
                case '?' -> regex.append("[^/]");
                case '[' -> bracket();
                case '{' -> beginGroup();
                case '}' -> endGroup();
                case ',' -> regex.append(inGroup ? "|" : ",");
                default -> literal(next);
            }
        }
        if (inGroup) {
            throw failure("a group has no end", glob.length());
        }
        return Pattern.compile(regex.append('$').toString(), Pattern.DOTALL);
    }

    private PatternSyntaxException failure(String what, int index) {
        return new PatternSyntaxException(what, glob, index);
    }

    private char escaped() {
        if (at == glob.length()) {
            throw failure("nothing is behind the backslash", at - 1);
        }
        return glob.charAt(at++);
    }

    private void literal(char character) {
        if (SPECIAL.indexOf(character) >= 0) {
            regex.append('\\');
        }
        regex.append(character);
    }

    private void stars() {
        if (at < glob.length() && glob.charAt(at) == '*') {
            at++;
            regex.append(".*");
        } else {
            regex.append("[^/]*");
        }
    }

    private void beginGroup() {
        if (inGroup) {
            throw failure("a group is in another one", at - 1);
        }
        inGroup = true;
        regex.append("(?:");
    }

    private void endGroup() {
        if (inGroup) {
            inGroup = false;
            regex.append(')');
        } else {
            regex.append("\\}");
        }
    }

    /** One character of those in brackets, and no slash. */
    private void bracket() {
        int begin = at - 1;
        regex.append("(?!/)[");
        if (at < glob.length() && glob.charAt(at) == '!') {
            regex.append('^');
            at++;
        }
        if (at < glob.length() && glob.charAt(at) == ']') {
            throw failure("a bracket is empty", begin);
        }
        char last = 0;
        boolean canBegin = false; // whether the last character may begin a range
        while (at < glob.length() && glob.charAt(at) != ']') {
            char next = glob.charAt(at++);
            if (next == '/') {
                throw failure("a slash is in a bracket", at - 1);
            }
            boolean isRange = next == '-' && canBegin && at < glob.length() && glob.charAt(at) != ']';
            if (isRange) {
                char end = glob.charAt(at++);
                if (end < last) {
                    throw failure("a range has its end before its begin", at - 2);
                }
                regex.append('-');
                inBracket(end);
                canBegin = false;
            } else {
                inBracket(next);
                last = next;
                canBegin = true;
            }
        }
        if (at == glob.length()) {
            throw failure("a bracket has no end", begin);
        }
        at++;
        regex.append(']');
    }

    private void inBracket(char character) {
        if ("\\[]^-&".indexOf(character) >= 0) {
            regex.append('\\');
        }
        regex.append(character);
    }
}
