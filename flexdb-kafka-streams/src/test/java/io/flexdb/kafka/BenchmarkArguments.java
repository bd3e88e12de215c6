package io.flexdb.kafka;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Arguments of the form {@code --name=value}, each with a default. Not modified once read. */
final class BenchmarkArguments {
    private final Map<String, String> values;

    /**
     * @param defaults by name, all that there are
     * @param arguments those given; the last one of a name counts
     * @throws IllegalArgumentException if one is unknown or has another form
     */
    BenchmarkArguments(Map<String, String> defaults, String... arguments) {
        values = new LinkedHashMap<>(defaults);
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            String name = parts[0].startsWith("--") ? parts[0].substring(2) : "";
            if (parts.length != 2 || !defaults.containsKey(name)) {
                throw new IllegalArgumentException("Unknown argument: " + argument + "; there are --"
                        + String.join("=, --", defaults.keySet()) + "=");
            }
            values.put(name, parts[1]);
        }
    }

    /** @throws IllegalArgumentException if it is empty */
    String text(String name) {
        String value = values.get(name);
        if (value.isEmpty()) {
            throw new IllegalArgumentException("Missing argument: --" + name);
        }
        return value;
    }

    List<String> list(String name) {
        return List.of(text(name).split(","));
    }

    boolean flag(String name) {
        return Boolean.parseBoolean(text(name));
    }

    /** @throws IllegalArgumentException if it is none, or negative */
    int number(String name) {
        try {
            int number = Integer.parseInt(text(name));
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Refused below.
        }
        throw new IllegalArgumentException("Not a number: --" + name + "=" + text(name));
    }
}
