package io.flexdb.typed;

import java.util.Objects;

/** Names of codecs. */
final class Names {
    private Names() {}

    static String requireName(String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("the name of a codec must not be blank: \"" + name + "\"");
        }
        return name;
    }

    /** The name of a codec on top of another one. */
    static String mapped(String name, String base) {
        return requireName(name) + " as " + base;
    }
}
