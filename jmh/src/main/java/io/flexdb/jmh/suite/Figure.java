package io.flexdb.jmh.suite;

/**
 * One number that a benchmark gave.
 *
 * @param experiment the thing measured, unique within a run, such as {@code udb: GET Zipfian}
 * @param subject the store or file system measured, as in the tables
 * @param unit of the value; units that end with {@code /s} are rates, of which more is better
 */
record Figure(String experiment, String subject, double value, String unit) {}
