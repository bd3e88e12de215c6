package io.flexdb.internal.open;

import java.nio.file.Path;

/**
 * Something that is not as it should be.
 *
 * @param file where it is
 * @param position of the damaged unit in it
 * @param keyBefore the key of the last pair before those that it concerns; null if there is none, or that is not known
 * @param keyAfter the key of the first pair behind them; null if there is none, or that is not known
 * @param pairs whether pairs between these keys are concerned
 */
public record Problem(
        Path file, long position, byte[] keyBefore, byte[] keyAfter, boolean pairs, String expected, String found) {}
