package io.flexdb.testing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Says how hard random and exhaustive tests try. The system property {@code flexdb.test.effort} is a factor: 1, which
 * is the default, means the numbers written in the tests. The normal build sets 0.2, the profile {@code long} 0.4 and
 * the profile {@code soak} 5.
 */
public final class Effort {
    private static final double LONG = 0.4;
    private static final int TRIES_AT_ONE = 1000; // of a property, as jqwik has it
    private static final double FACTOR = factor(System.getProperty("flexdb.test.effort", "1"));

    private Effort() {}

    private static double factor(String text) {
        double factor = Double.parseDouble(text);
        if (!(factor > 0 && factor <= 1e6)) {
            throw new IllegalArgumentException("flexdb.test.effort: " + text + " is not a factor above 0");
        }
        return factor;
    }

    /** The number of times for something that is done {@code atOne} times with an effort of 1; at least one. */
    public static int times(int atOne) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, Math.round(atOne * FACTOR)));
    }

    /** The step through many cases of which every {@code atOne}-th is tried with an effort of 1; at least 1. */
    public static int step(int atOne) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, Math.round(atOne / FACTOR)));
    }

    /** Some of many cases, as many as this effort has time for; which ones, differs from run to run. */
    public static <T> List<T> some(Collection<T> cases) {
        List<T> shuffled = new ArrayList<>(cases);
        Collections.shuffle(shuffled);
        return shuffled.subList(0, Math.min(times(cases.size()), cases.size()));
    }

    /** For a child JVM, which is to try as hard as this one. */
    public static String asArgument() {
        return "-Dflexdb.test.effort=" + FACTOR;
    }

    /** For a child JVM with property tests, which are to have as many examples as this effort has time for. */
    public static String triesAsArgument() {
        return "-Djqwik.tries.default=" + times(TRIES_AT_ONE);
    }

    /** Whether there is time for all of a few cases that differ in kind, as in the profile {@code long}. */
    public static boolean isLong() {
        return FACTOR >= LONG;
    }
}
