package io.flexdb.base.memory;

/**
 * Uses classes for the first time, before the heap can be full. A class whose initializer finds no memory is of no use
 * ever after: each use of it throws a {@link NoClassDefFoundError}, until the JVM ends.
 */
public final class FirstUse {
    private FirstUse() {}

    /**
     * Initializes classes that make objects then, and would do so late.
     *
     * @param names their names; these, since most of them are seen by their package only
     * @throws OutOfMemoryError if the heap is full already
     */
    public static void of(String... names) {
        for (String name : names) {
            try {
                Class.forName(name, true, FirstUse.class.getClassLoader());
            } catch (ClassNotFoundException e) {
                // One of the JDK's that another JDK has not, or somebody has given our classes other names.
            }
        }
    }
}
