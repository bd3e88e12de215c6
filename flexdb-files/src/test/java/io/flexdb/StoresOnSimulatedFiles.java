package io.flexdb;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.file.Path;

/** Opens stores, for tests of other packages, on simulated files and without threads. */
public final class StoresOnSimulatedFiles {
    /** So small that memtables, segments and logs end after a few writes. */
    private static final FlexDBOptions SMALL = FlexDBOptions.defaults()
            .withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES)
            .withCacheBytes(1 << 20)
            .withSpace(FlexSpaceOptions.defaults()
                    .withSegments(64 * 512, 512)
                    .withCheckpointLogBytes(16384)
                    .withLogBufferBytes(2048));

    private StoresOnSimulatedFiles() {}

    /** Opens the only store of a simulation, or makes it. */
    public static FlexDB open(SimulatedVfs vfs, Durability durability) {
        return FlexDB.open(vfs, Path.of("/store"), SMALL.withDurability(durability), true);
    }
}
