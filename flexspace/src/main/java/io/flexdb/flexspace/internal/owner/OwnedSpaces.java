package io.flexdb.flexspace.internal.owner;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.base.OptionsInsides;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import java.lang.invoke.MethodHandles;

/** Gives the engine of a space its settings when the space is part of a larger structure. */
public final class OwnedSpaces {
    private static final OptionsInsides<FlexSpaceOptions> INSIDES = insides();

    private OwnedSpaces() {}

    @SuppressWarnings("unchecked") // the class of options installs one with this type, and nobody else installs one
    private static OptionsInsides<FlexSpaceOptions> insides() {
        try {
            MethodHandles.lookup().ensureInitialized(FlexSpaceOptions.class);
        } catch (IllegalAccessException e) {
            throw new ExceptionInInitializerError(e);
        }
        return (OptionsInsides<FlexSpaceOptions>) OptionsInsides.installed();
    }

    /** The settings that options stand for. An owner that wants others changes a copy. */
    public static SpaceSettings settings(FlexSpaceOptions options) {
        return INSIDES.settings(options);
    }
}
