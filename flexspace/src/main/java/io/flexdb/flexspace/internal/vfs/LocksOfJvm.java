package io.flexdb.flexspace.internal.vfs;

import java.security.Security;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/** The names of the locks that this JVM holds, whichever class loader has loaded the code that took them. Thread-safe. */
final class LocksOfJvm {
    /*
     * The problem: on most systems a lock of a process ends when the process closes any descriptor of the file. So a
     * second copy of this class, under another class loader, must not even open a lock file that the first one holds.
     * The copies share no static field. The choice: one security property, which holds the names, one a line. It is
     * text, so it pins no class loader. Nobody replaces the security properties as a whole, as programs and tests do
     * with the system properties. The monitor is an interned string, of which a JVM has one.
     */
    private static final String PROPERTY = "io.flexdb.locks";
    private static final Object MONITOR = (PROPERTY + ".monitor").intern();

    private LocksOfJvm() {}

    /** Adds a name. Returns false, and changes nothing, if it is there. */
    static boolean add(String name) {
        synchronized (MONITOR) {
            Set<String> names = names();
            if (!names.add(name)) {
                return false;
            }
            store(names);
            return true;
        }
    }

    /** Takes a name out. */
    static void remove(String name) {
        synchronized (MONITOR) {
            Set<String> names = names();
            names.remove(name);
            store(names);
        }
    }

    /** Whether a name is there. */
    static boolean has(String name) {
        synchronized (MONITOR) {
            return names().contains(name);
        }
    }

    /** Whether a lock file with this name is held in any directory. */
    static boolean hasFile(String fileName) {
        String text = Security.getProperty(PROPERTY);
        return text != null && (text + "\n").contains("/" + fileName + "\n");
    }

    private static Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        String text = Security.getProperty(PROPERTY);
        if (text != null) {
            Collections.addAll(names, text.split("\n"));
            names.remove("");
        }
        return names;
    }

    private static void store(Set<String> names) {
        Security.setProperty(PROPERTY, String.join("\n", names));
    }
}
