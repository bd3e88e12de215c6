package io.flexdb.internal.open;

import io.flexdb.base.memory.FirstUse;

/** The classes that make objects when they are initialized, and that an opening itself does not use. */
public final class StoreClasses {
    private StoreClasses() {}

    /**
     * Initializes them, before the heap can be full.
     *
     * @throws OutOfMemoryError if it is already
     */
    public static void initialize() {
        FirstUse.of(
                "io.flexdb.Confined",
                "io.flexdb.Confined$End",
                "io.flexdb.Isolation",
                "io.flexdb.Progress",
                "io.flexdb.ReadOptions",
                "io.flexdb.base.waiting.Pause",
                "io.flexdb.base.waiting.Waiter",
                "io.flexdb.flexspace.internal.engine.SpaceRange",
                "io.flexdb.internal.mem.LargeReference",
                "io.flexdb.internal.write.EntryRange$Only",
                "io.flexdb.internal.open.NewStoreDirectory",
                "io.flexdb.internal.base.KeyBytes",
                "io.flexdb.internal.base.KeyHash",
                "io.flexdb.internal.write.WritesLoad",
                "io.flexdb.internal.mem.DeletedRanges",
                "io.flexdb.internal.mem.DeletedRanges$Builder",
                "io.flexdb.internal.mem.DeletedRanges$Layer",
                "io.flexdb.internal.mem.DeletedRanges$Numbers",
                "io.flexdb.internal.mem.DeletedRanges$Stretch",
                "io.flexdb.internal.mem.TreePosition",
                "io.flexdb.internal.read.MergeCursor",
                "io.flexdb.internal.read.PairHeads",
                "io.flexdb.internal.read.Pairs",
                "io.flexdb.internal.read.ReadContext",
                "io.flexdb.internal.read.Scan",
                "io.flexdb.internal.read.BlockCursor",
                "io.flexdb.internal.read.KeyFilter",
                "io.flexdb.internal.read.Marks",
                "io.flexdb.internal.read.MovedLookups",
                "io.flexdb.internal.read.MovedTable",
                "io.flexdb.internal.read.MovedTable$Cursor",
                "io.flexdb.internal.read.ScratchFile$Part",
                "io.flexdb.internal.read.SpillWriter",
                "io.flexdb.internal.read.Window",
                "io.flexdb.internal.txn.Footprint",
                "io.flexdb.internal.txn.KeysRead",
                "io.flexdb.internal.txn.OwnWrites",
                "io.flexdb.internal.read.HolderKind",
                "io.flexdb.internal.read.VisibleSequence$Turn");
    }
}
