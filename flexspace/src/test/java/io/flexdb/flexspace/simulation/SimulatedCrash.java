package io.flexdb.flexspace.simulation;

/**
 * The simulated machine has lost its power. An error and not an exception, so that a store that catches exceptions to
 * go on does not go on.
 */
public final class SimulatedCrash extends Error {
    private static final long serialVersionUID = 1L;

    SimulatedCrash(long operation) {
        super("simulated power cut at or before operation " + operation);
    }
}
