package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.simulation.FilesBefore;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.UnsupportedFormatException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Damage of every kind in every file: an exception, or the very data that was written. */
class FlexSpaceCorruptionTest {
    private static final int SECTOR = 512;

    private static SimulatedVfs closed; // a checkpoint and an empty log
    private static SimulatedVfs killed; // a checkpoint and a log with frames, all of them forced
    private static SimulatedVfs older; // the same space earlier
    private static SimulatedVfs foreign;
    private static byte[] content;

    @BeforeAll
    static void makeSpaces() {
        CrashHistory history = new CrashHistory(1, new SimulatedVfs(), vfs -> {});
        history.live(List.of());
        for (int i = 0; i < 120; i++) {
            SpaceStep.INSERT_LITTLE.apply(history.space, history.oracle, history.random);
        }
        history.space.checkpoint();
        older = history.vfs.copy();
        for (int i = 0; i < 60; i++) {
            SpaceStep.OVERWRITE.apply(history.space, history.oracle, history.random);
            SpaceStep.COLLAPSE.apply(history.space, history.oracle, history.random);
            SpaceStep.INSERT_LITTLE.apply(history.space, history.oracle, history.random);
        }
        history.space.checkpoint();
        for (int i = 0; i < 5; i++) {
            SpaceStep.INSERT_LITTLE.apply(history.space, history.oracle, history.random);
            history.space.sync();
        }
        killed = history.vfs.copy();
        content = history.oracle.now();
        history.space.close();
        closed = history.vfs.copy();

        CrashHistory other = new CrashHistory(1, new SimulatedVfs(), vfs -> {});
        other.live(List.of(SpaceStep.INSERT_MUCH, SpaceStep.INSERT_LITTLE, SpaceStep.SYNC));
        other.space.close();
        foreign = other.vfs.copy();
    }

    private static final String SPARE = "log.new"; // space for the next log
    private int damages;
    private int refused;

    @Test
    void aFlippedBitIsFoundOrDoesNoHarm() {
        Random random = new Random(4);
        for (SimulatedVfs good : new SimulatedVfs[] {closed, killed}) {
            forEachFile(good, (path, bytes) -> {
                int step = path.endsWith("data") ? 199 : 13;
                int end = endOfContent(bytes);
                for (int at = 0; at < end; at += 1 + random.nextInt(Effort.step(2 * step))) {
                    byte[] bad = bytes.clone();
                    bad[at] ^= (byte) (1 << random.nextInt(8));
                    damaged(good, path, bad, "bit flipped in byte " + at);
                }
                for (int block = 0; block < Math.min(end, 3 * 4096); block += 4096) {
                    for (int at = block; at < Math.min(end, block + 96); at++) {
                        byte[] bad = bytes.clone();
                        bad[at] ^= (byte) (1 << random.nextInt(8));
                        damaged(good, path, bad, "bit flipped in byte " + at);
                    }
                }
            });
        }
        assertTrue(damages > Effort.times(3000) && refused > damages / 10, refused + " of " + damages + " refused");
    }

    @Test
    void zeroedAndSwappedAndDuplicatedSectorsAreFoundOrDoNoHarm() {
        Random random = new Random(5);
        for (SimulatedVfs good : new SimulatedVfs[] {closed, killed}) {
            forEachFile(good, (path, bytes) -> {
                int end = endOfContent(bytes);
                for (int at = 0; at < end && at + SECTOR <= bytes.length; at += SECTOR) {
                    byte[] zeroed = bytes.clone();
                    Arrays.fill(zeroed, at, at + SECTOR, (byte) 0);
                    damaged(good, path, zeroed, "zeros in the sector at " + at);
                    int other = random.nextInt(bytes.length / SECTOR) * SECTOR;
                    byte[] duplicated = bytes.clone();
                    System.arraycopy(bytes, at, duplicated, other, SECTOR);
                    damaged(good, path, duplicated, "sector " + at + " also at " + other);
                    System.arraycopy(bytes, other, duplicated, at, SECTOR);
                    damaged(good, path, duplicated, "sectors swapped: " + at + " and " + other);
                }
            });
        }
    }

    @Test
    void aTruncatedFileIsFoundOrDoesNoHarm() {
        for (SimulatedVfs good : new SimulatedVfs[] {closed, killed}) {
            forEachFile(good, (path, bytes) -> {
                int end = endOfContent(bytes);
                for (int length = 0; length < end; length += length % 4096 < 64 ? 1 : 347) {
                    damaged(good, path, Arrays.copyOf(bytes, length), "cut to " + length + " bytes");
                }
            });
        }
    }

    /** Writes that were acknowledged and never arrived. */
    @Test
    void anOlderVersionOfASectorIsFoundOrDoesNoHarm() {
        forEachFile(closed, (path, bytes) -> {
            if (older.exists(path)) {
                byte[] before = older.content(path);
                for (int at = 0; at + SECTOR <= Math.min(bytes.length, before.length); at += SECTOR) {
                    byte[] bad = bytes.clone();
                    System.arraycopy(before, at, bad, at, SECTOR);
                    damaged(closed, path, bad, "the sector at " + at + " as it was earlier");
                }
                damaged(closed, path, before, "the file as it was earlier");
            }
        });
    }

    @Test
    void aFileOfAnotherStoreOrAMissingOneIsRefused() {
        forEachFile(closed, (path, bytes) -> {
            if (foreign.exists(path)) {
                damaged(closed, path, foreign.content(path), "the file of another store");
            }
            SimulatedVfs missing = closed.copy();
            missing.delete(path);
            if (path.endsWith(SPARE)) {
                FlexSpace.open(missing, CrashHistory.DIRECTORY, CrashHistory.SMALL)
                        .close();
            } else {
                assertThrows(
                        StorageException.class,
                        () -> FlexSpace.open(missing, CrashHistory.DIRECTORY, CrashHistory.SMALL),
                        "without " + path);
            }
        });
        assertTrue(refused >= 2, "refused " + refused);
    }

    @Test
    void aNewerFormatIsRefusedByName() {
        forEachFile(closed, (path, bytes) -> {
            if (path.endsWith(SPARE)) {
                return; // nothing is read of it
            }
            byte[] newer = bytes.clone();
            for (int block = 0; block <= (path.endsWith("tree") ? 4096 : 0); block += 4096) {
                ByteBuffer fields = ByteBuffer.wrap(newer).order(ByteOrder.LITTLE_ENDIAN);
                fields.putInt(block + 12, 3).putInt(block + 24, FilePreamble.crc(fields, block, 24));
            }
            SimulatedVfs vfs = closed.copy();
            vfs.setContent(path, newer);
            UnsupportedFormatException e = assertThrows(
                    UnsupportedFormatException.class,
                    () -> FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL));
            assertTrue(
                    e.getMessage().contains("version 3") && e.getMessage().contains("versions 2 to 2"), e.getMessage());
        });
    }

    /** Both header slots hold a version after the second checkpoint; the older one must not stand in for the newer. */
    @Test
    void theOlderHeaderIsNoSubstituteForADamagedOne() {
        for (SimulatedVfs good : new SimulatedVfs[] {closed, killed}) {
            Path tree = CrashHistory.DIRECTORY.resolve("tree");
            int refusedBefore = refused;
            for (int slot = 0; slot < 2; slot++) {
                byte[] bad = good.content(tree);
                bad[slot * 4096 + 40] ^= 1;
                damaged(good, tree, bad, "header slot " + slot);
            }
            assertTrue(refused == refusedBefore + 1, "one of the slots counts");
        }
    }

    /**
     * A cut right after a checkpoint may leave the log before it, too. With a damaged header that is as if the cut had
     * come a moment earlier: the older header, its log, and the log that continues it, tell all. But none of it may be
     * missing.
     */
    @Test
    void anOlderHeaderCountsWithAllThatFollowsItOnly() {
        CrashHistory history = new CrashHistory(2, new SimulatedVfs(), vfs -> {});
        history.live(List.of(SpaceStep.INSERT_MUCH, SpaceStep.SYNC));
        Path olderLog = CrashHistory.DIRECTORY.resolve(
                history.vfs.list(CrashHistory.DIRECTORY).get(2));
        byte[] fewerFrames = history.vfs.content(olderLog);
        history.liveStep(SpaceStep.INSERT_LITTLE);
        history.liveStep(SpaceStep.SYNC);
        byte[] olderFrames = history.vfs.content(olderLog);
        history.space.checkpoint();
        history.liveStep(SpaceStep.INSERT_LITTLE);
        history.liveStep(SpaceStep.SYNC);
        SimulatedVfs left = history.vfs.crash(0);
        Path tree = CrashHistory.DIRECTORY.resolve("tree");
        byte[] bad = left.content(tree);
        bad[40] ^= 1; // version 2 is the second one
        left.setContent(tree, bad);
        left.deleteIfExists(olderLog);
        assertThrows(
                CorruptionException.class,
                () -> FlexSpace.open(left.copy(), CrashHistory.DIRECTORY, CrashHistory.SMALL));
        left.setContent(olderLog, fewerFrames);
        assertThrows(
                CorruptionException.class,
                () -> FlexSpace.open(left.copy(), CrashHistory.DIRECTORY, CrashHistory.SMALL));
        left.setContent(olderLog, olderFrames);
        try (FlexSpace space = FlexSpace.open(left, CrashHistory.DIRECTORY, CrashHistory.SMALL)) {
            space.checkInvariants();
            assertArrayEquals(history.oracle.now(), SpaceOracle.contentOf(space));
        }
    }

    /** Where the bytes end that are not zeros: behind them files have space that they do not use yet. */
    private static int endOfContent(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private interface FileAction {
        void on(Path path, byte[] bytes);
    }

    private static void forEachFile(SimulatedVfs good, FileAction action) {
        for (Path path : good.files()) {
            if (!path.endsWith("LOCK")) {
                action.on(path, good.content(path));
            }
        }
    }

    private void damaged(SimulatedVfs good, Path path, byte[] bytes, String what) {
        SimulatedVfs vfs = good.copy();
        vfs.setContent(path, bytes);
        FilesBefore before = FilesBefore.of(vfs);
        damages++;
        FlexSpace space;
        try {
            space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL);
        } catch (StorageException e) {
            refused++;
            before.assertUnchanged(path + ", " + what);
            return;
        } catch (RuntimeException | Error e) {
            throw new AssertionError(path + ", " + what, e);
        }
        try {
            space.checkInvariants();
            assertArrayEquals(content, SpaceOracle.contentOf(space), path + ", " + what);
        } catch (StorageException e) {
            refused++;
        } finally {
            space.close();
        }
    }
}
