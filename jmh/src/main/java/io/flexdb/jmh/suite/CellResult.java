package io.flexdb.jmh.suite;

import java.util.List;

/**
 * The outcome of one cell in one round.
 *
 * @param cell the id of the {@link Cell}
 * @param round from 1
 * @param started UTC, ISO 8601
 * @param seconds it took
 * @param figures all it gave, also before a failure
 * @param notes remarks of the program that a reader of the figures must know
 * @param failure the reason why figures are missing; empty if none are
 */
record CellResult(
        String cell,
        String subject,
        int round,
        String started,
        double seconds,
        List<Figure> figures,
        List<String> notes,
        String failure) {
    boolean hasFailed() {
        return !failure.isEmpty();
    }
}
