package io.flexdb.internal.open;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.flexdb.HookedVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.internal.base.StoreSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A store goes to the step of the format that is written. */
class FormatStepTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final int SEEDS = 5;

    private final StoreSettings settings = new StoreSettings();
    private final SimulatedVfs vfs = new SimulatedVfs();

    FormatStepTest() {
        settings.memtableBytes = StoreSettings.MIN_MEMTABLE_BYTES;
        settings.cacheBytes = 1 << 20;
    }

    private long open(Vfs files) {
        StoreOpener.open(files, DIRECTORY, settings, new NoThreads()).close();
        return StoreFiles.readStoreId(files, DIRECTORY.resolve(StoreFiles.OPTIONS_NAME));
    }

    @Test
    void aPowerCutLeavesTheStepBeforeOrTheLast() {
        long id = open(vfs);
        int[] cuts = {0};
        Vfs hooked = new HookedVfs(vfs, (kind, path) -> {
            for (int seed = 0; seed < SEEDS; seed++) {
                assertEquals(id, open(vfs.copy().crash(seed)));
                cuts[0]++;
            }
        });
        StoreFiles.Found older = new StoreFiles.Found(id, FormatVersion.LADDER.written() - 1, false);
        StoreFiles.goToWrittenFormat(hooked, DIRECTORY, older);
        assertTrue(cuts[0] > 2 * SEEDS, cuts[0] + " cuts");
        assertEquals(id, open(vfs.crash(0)));
    }

    @Test
    void aStoreOfTheLastStepIsLeftAsItIs() {
        long id = open(vfs);
        Vfs untouched = new HookedVfs(vfs, (kind, path) -> fail(kind + " of " + path));
        StoreFiles.goToWrittenFormat(
                untouched, DIRECTORY, new StoreFiles.Found(id, FormatVersion.LADDER.written(), false));
    }
}
