package io.flexdb.typed;

import java.util.List;
import java.util.regex.Pattern;

/** Names of codecs with the constants of enums in them, to which later ones may have been added. */
final class EnumNames {
    private static final Pattern CONSTANTS = Pattern.compile("enum\\[([^\\]]*)\\]");

    private EnumNames() {}

    /** The name of a codec for constants, which are separated by commas. */
    static String of(String constants) {
        return "enum[" + constants + "] key";
    }

    /** Whether the codec of a name reads what that of a stored name has written. */
    static boolean reads(String name, String stored) {
        if (!CONSTANTS
                .matcher(name)
                .replaceAll("")
                .equals(CONSTANTS.matcher(stored).replaceAll(""))) {
            return false;
        }
        List<String> now = constants(name);
        List<String> then = constants(stored);
        if (now.size() != then.size()) {
            return false;
        }
        for (int i = 0; i < now.size(); i++) {
            if (!then.get(i).isEmpty() && !(now.get(i) + ",").startsWith(then.get(i) + ",")) {
                return false;
            }
        }
        return true;
    }

    private static List<String> constants(String name) {
        return CONSTANTS.matcher(name).results().map(found -> found.group(1)).toList();
    }
}
