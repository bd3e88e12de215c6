package io.flexdb.internal.write;

import java.util.function.BooleanSupplier;

/** Saves what opening a store after a kill would have to make anew. By the thread that commits, between its changes. */
public interface RestSaver {
    /** It can't be saved, for want of room perhaps, and nothing is. */
    long FAILED = -1;

    /** Whether opening takes so long without it that it is worth saving. */
    boolean isWorthIt();

    /**
     * Saves it. Until {@link #forget} nothing may be written that a recovery would find.
     *
     * @param goOn asked now and then whether to go on; if not, nothing is saved
     * @return how many bytes it has written; 0 if it is to be tried again later; {@link #FAILED}
     */
    long save(BooleanSupplier goOn);

    /** Deletes what was saved, durably, if something was. */
    void forget();
}
