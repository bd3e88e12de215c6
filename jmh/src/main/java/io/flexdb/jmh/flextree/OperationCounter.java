package io.flexdb.jmh.flextree;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Counts what a benchmark does in an invocation of no fixed length; JMH shows it as a rate of its own. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class OperationCounter {
    /** Operations done in this iteration. */
    public long operations;
}
