package io.flexdb.jmh.suite;

import java.util.List;

/**
 * One run of a benchmark program in a JVM of its own: the unit that is measured, stored and measured again after a
 * failure. Suites that ask for equal cells share their results.
 *
 * @param id unique among different cells; no tabs or line breaks
 * @param subject the store or file system measured
 * @param prefix put before the names of the experiments, so that they are unique within a run
 * @param arguments of the program, without those for its directory and its file of figures
 */
record Cell(String id, String subject, Program program, String prefix, List<String> arguments) {}
