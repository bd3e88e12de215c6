package io.flexdb.files;

import java.net.URI;
import java.net.URISyntaxException;

/** URIs of the form {@code flexdb:file:///directory/of/the/store!/path}, as those of jar files. */
record FlexUri(String id, String path) {
    static final String SCHEME = "flexdb";

    private static final String END_OF_ID = "!/";

    /** What a file system is known by: the URI of its store, without what would be taken for its end. */
    static String id(URI store) {
        return store.toString().replace("!", "%21");
    }

    /** The URI of an absolute path. */
    static URI of(String id, String path) {
        try {
            return URI.create(SCHEME + ":" + id + "!" + new URI(null, null, path, null).toASCIIString());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
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
