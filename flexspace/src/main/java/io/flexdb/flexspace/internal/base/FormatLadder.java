package io.flexdb.flexspace.internal.base;

import io.flexdb.storage.UnsupportedFormatException;
import java.nio.file.Path;

/**
 * The steps of a format that this build knows: which one it writes, and which ones it reads.
 *
 * <p>The last step is the one that is written. A file has the number of the step in which it was written, and is read
 * for what it says; so the files of a store may have different numbers, after an opening that has gone one step on.
 */
public final class FormatLadder {
    private final FormatStep[] steps;
    private final FormatStep oldestReadable;

    /**
     * @param steps all that there ever were, the oldest first, those included that are not read any more
     * @param oldestReadable the first one that is read
     */
    public FormatLadder(FormatStep[] steps, FormatStep oldestReadable) {
        this.steps = steps.clone();
        this.oldestReadable = oldestReadable;
        for (int i = 1; i < steps.length; i++) {
            if (steps[i].number() <= steps[i - 1].number()) {
                throw new IllegalArgumentException(steps[i] + " is not above " + steps[i - 1]);
            }
        }
    }

    /** The number that is written. */
    public int written() {
        return steps[steps.length - 1].number();
    }

    /** The lowest number that is read. */
    public int oldestReadable() {
        return oldestReadable.number();
    }

    /**
     * Refuses a file of a step that this build does not read.
     *
     * @param kind what kind of file it is
     * @param found the number in the file
     */
    public void requireReadable(Path file, String kind, int found) {
        for (FormatStep step : steps) {
            if (step.number() == found && found >= oldestReadable()) {
                return;
            }
        }
        throw new UnsupportedFormatException(file, kind, found, oldestReadable(), written(), advice(found));
    }

    private String advice(int found) {
        if (found > written()) {
            return "open it with the newer FlexDB that wrote it, or a later one";
        }
        if (found < steps[0].number()) {
            return "a build from before release " + steps[0].release() + " wrote it: export the pairs with that build,"
                    + " and import them into a new store";
        }
        return "open it for writing once with release " + oldestReadable.release() + ", which migrates it; later"
                + " releases read what that one writes";
    }
}
