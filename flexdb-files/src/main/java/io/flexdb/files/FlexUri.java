package io.flexdb.files;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** URIs of the form {@code flexdb:file:///directory/of/the/store!/path}, as those of jar files. */
record FlexUri(String id, String path) {
    static final String SCHEME = "flexdb";

    private static final String END_OF_ID = "!/";

    /** What a path in a URI may have beside letters and digits. */
    private static final String LEGAL = "/-._~!$&'()*+,;=:@";

    /** What a file system is known by: the URI of its store, without what would be taken for its end. */
    static String id(URI store) {
        return store.toString().replace("!", "%21");
    }

    /** The URI of an absolute path: names with any bytes, of which none may change as characters that look alike do. */
    static URI of(String id, String path) {
        StringBuilder uri = new StringBuilder(SCHEME).append(':').append(id).append('!');
        for (byte each : path.getBytes(StandardCharsets.UTF_8)) {
            char character = (char) (each & 0xff);
            if (character < 0x80 && (Character.isLetterOrDigit(character) || LEGAL.indexOf(character) >= 0)) {
                uri.append(character);
            } else {
                uri.append('%').append(HexFormat.of().withUpperCase().toHexDigits(each));
            }
        }
        return URI.create(uri.toString());
    }

    /**
     * Takes a URI apart; the path is empty if there is none.
     *
     * @throws IllegalArgumentException if it is of another form
     */
    static FlexUri parse(URI uri) {
        if (!SCHEME.equalsIgnoreCase(uri.getScheme())) {
            throw new IllegalArgumentException("uri must be of the scheme \"" + SCHEME + "\": " + uri);
        }
        String rest = uri.getRawSchemeSpecificPart();
        int end = rest.indexOf(END_OF_ID);
        return end < 0
                ? new FlexUri(rest, "")
                : new FlexUri(
                        rest.substring(0, end),
                        URI.create(rest.substring(end + 1)).getPath());
    }

    /** The URI of the store. */
    URI store() {
        return URI.create(id);
    }
}
