package io.flexdb.jmh.suite;

import java.util.List;

/** All suites, in the order in which {@code all} measures them and the report shows them. */
final class Suites {
    static final List<Suite> ALL = List.of(
            new Table1Suite(),
            new Figure2(),
            new Table2Suite(),
            new Figure11(),
            new Table3Suite(),
            new Figure12a(),
            new Figure12b(),
            new Figure12c(),
            new Figure12d(),
            new Figure12e(),
            new Figure12f(),
            new Table4Suite(),
            new Figure13a(),
            new Figure13b(),
            new RecoverySuite(),
            new FirstSeconds(),
            new DurabilityModes(),
            new Growth(),
            new ReadersUnderCommits(),
            new ValuesBySize(),
            new Ageing(),
            new AbsentKeys(),
            new FeaturesSuite(),
            new BulkSuite(),
            new OpeningSuite(),
            new FilesSuite(),
            new KafkaSuite());

    private Suites() {}
}
