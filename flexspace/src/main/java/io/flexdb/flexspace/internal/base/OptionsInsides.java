package io.flexdb.flexspace.internal.base;

/**
 * The way to what the options of a space hide from users. The options' class installs the only one when it is
 * initialized. It lies above this package, which therefore does not name it.
 *
 * @param <O> the options
 */
public abstract class OptionsInsides<O> {
    private static OptionsInsides<?> installed;

    /** Installs the only one. */
    public static void install(OptionsInsides<?> insides) {
        installed = insides;
    }

    /** The one that the options' class installed, or null before that class is initialized. */
    public static OptionsInsides<?> installed() {
        return installed;
    }

    /** The settings that the options stand for; not to be changed. */
    public abstract SpaceSettings settings(O options);
}
