package io.flexdb.internal.open;

import io.flexdb.internal.base.SharedThreads;
import io.flexdb.internal.base.StoreResources;

/** The resources that all stores of this JVM share if they name none of their own. */
public final class JvmResources {
    /** Has as much memory as one store alone takes without being told how much. */
    public static final StoreResources SHARED = new StoreResources(
            MemoryBudget.derivedTotal(JvmMemory.ofThisProcess()), false, SharedThreads.usualWorkers());

    private JvmResources() {}
}
