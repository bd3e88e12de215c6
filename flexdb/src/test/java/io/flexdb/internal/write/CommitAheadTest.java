package io.flexdb.internal.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.vfs.DiskReads;
import io.flexdb.flexspace.simulation.PrefetchVfs;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.read.DiskWaits;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Commits, which read here and there in most intervals, tell the kernel so as long as the process reads from a disk. */
class CommitAheadTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults().withSegments(1 << 20, 4096);
    private static final int INTERVAL = 3000;
    private static final int INTERVALS = 4000;

    private final PrefetchVfs vfs = new PrefetchVfs(new SimulatedVfs());
    private final SpaceEngine engine;
    private CommitAhead ahead;
    private long diskReads;

    CommitAheadTest() {
        SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(OPTIONS), List.of());
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(OPTIONS), new Epochs());
        ByteBuffer bytes = ByteBuffer.allocate(INTERVAL);
        for (int i = 0; i < INTERVALS; i++) {
            engine.insert((long) i * INTERVAL, bytes, 0, INTERVAL, 0);
        }
        engine.sync(1);
        ahead = newAhead();
    }

    private CommitAhead newAhead() {
        return new CommitAhead(engine.reads().newWalkAhead(), new DiskWaits(() -> diskReads, System::nanoTime));
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** Bytes told of a commit that reads every interval, while the disk is read from or not. */
    private long toldOfCommit(boolean isDiskRead) {
        vfs.told.set(0);
        for (int i = 0; i < INTERVALS; i++) {
            diskReads += isDiskRead ? 1 : 0;
            ahead.willRead(engine.current(), (long) i * INTERVAL, INTERVAL);
        }
        return vfs.told.get();
    }

    @Test
    void whatIsInThePageCacheIsNotTold() {
        assertEquals(0, toldOfCommit(false));
        long bytes = (long) INTERVALS * INTERVAL;
        long first = toldOfCommit(true);
        assertTrue(first > bytes * 3 / 4 && first < bytes * 5 / 4, first + " bytes told of " + bytes);
        long again = toldOfCommit(false); // which finds out after some intervals that all is there by now
        assertTrue(again < bytes / 4, again + " bytes told");
        assertEquals(0, toldOfCommit(false));
    }

    @Test
    void whereNobodyCountsNothingIsTold() {
        diskReads = DiskReads.UNKNOWN;
        ahead = newAhead();
        assertEquals(0, toldOfCommit(false));
    }
}
