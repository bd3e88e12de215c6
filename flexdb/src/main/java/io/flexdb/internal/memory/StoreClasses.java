package io.flexdb.internal.memory;

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
                "io.flexdb.internal.batch.LargeReference",
                "io.flexdb.internal.commit.EntryRange$Only",
                "io.flexdb.internal.copy.NewStoreDirectory",
                "io.flexdb.internal.keys.KeyBytes",
                "io.flexdb.internal.keys.KeyHash",
                "io.flexdb.internal.load.WritesLoad",
                "io.flexdb.internal.memtable.DeletedRanges",
                "io.flexdb.internal.memtable.DeletedRanges$Builder",
                "io.flexdb.internal.memtable.DeletedRanges$Layer",
                "io.flexdb.internal.memtable.DeletedRanges$Numbers",
                "io.flexdb.internal.memtable.DeletedRanges$Stretch",
                "io.flexdb.internal.memtable.TreePosition",
                "io.flexdb.internal.read.MergeCursor",
                "io.flexdb.internal.read.PairHeads",
                "io.flexdb.internal.read.ReadContext",
                "io.flexdb.internal.read.Scan",
                "io.flexdb.internal.spill.BlockCursor",
                "io.flexdb.internal.spill.KeyFilter",
                "io.flexdb.internal.spill.Marks",
                "io.flexdb.internal.spill.MovedLookups",
                "io.flexdb.internal.spill.MovedTable",
                "io.flexdb.internal.spill.MovedTable$Cursor",
                "io.flexdb.internal.spill.ScratchFile$Part",
                "io.flexdb.internal.spill.SpillWriter",
                "io.flexdb.internal.spill.Window",
                "io.flexdb.internal.transaction.Footprint",
                "io.flexdb.internal.transaction.KeysRead",
                "io.flexdb.internal.transaction.OwnWrites",
                "io.flexdb.internal.version.HolderKind",
                "io.flexdb.internal.version.VisibleSequence$Turn");
    }
}
