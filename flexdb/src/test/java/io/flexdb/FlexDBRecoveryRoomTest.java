package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.log.WalId;
import io.flexdb.internal.log.WalMode;
import io.flexdb.internal.log.WalWriter;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.CorruptionException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many files, and how much memory, a recovery asks for. */
class FlexDBRecoveryRoomTest {
    private static final Path WAL = StoreDriver.DIRECTORY.resolve("wal");
    private static final int MAX_LOGS = 10;

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static int logs(SimulatedVfs vfs) {
        return (int) vfs.files().stream().filter(file -> file.startsWith(WAL)).count();
    }

    /** What one large memtable held does not become a log for each of very many small ones. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void muchSmallerMemtablesThanBeforeTakeFewLogs(boolean full) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions large = StoreDriver.SMALL.withMemtableBytes(8 << 20);
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        FlexDB db = StoreDriver.open(vfs, large);
        for (int i = 0; i < 20_000; i++) {
            db.put(key(i), new byte[200]);
            model.put(key(i), new byte[200]);
        }
        SimulatedVfs killed = vfs.kill();
        FlexDBOptions small = !full
                ? StoreDriver.SMALL
                : StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withMaxDataBytes(40 * 64L * 512));
        int[] most = {0};
        HookedVfs hooked = new HookedVfs(killed, (kind, path) -> most[0] = Math.max(most[0], logs(killed)));
        FlexDB again = StoreDriver.open(hooked, small);
        assertTrue(most[0] <= MAX_LOGS, most[0] + " logs at a time");
        StoreOracle.assertSame(model, StoreDriver.all(again), "recovered");
        FlexDB afterCut = StoreDriver.open(killed.crash(0), large);
        StoreOracle.assertSame(model, StoreDriver.all(afterCut), "recovered again");
        afterCut.close();
    }

    /** A cut in the middle of such a recovery loses nothing. */
    @Test
    void aRecoveryThatCommitsCanBeCutAnywhere() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions large = StoreDriver.SMALL.withMemtableBytes(1 << 20);
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        FlexDB db = StoreDriver.open(vfs, large);
        for (int i = 0; i < 3000; i++) {
            db.put(key(i), new byte[200]);
            model.put(key(i), new byte[200]);
        }
        db.sync();
        SimulatedVfs cut = vfs.crash(0);
        int[] operations = {0};
        HookedVfs hooked = new HookedVfs(cut.copy(), (kind, path) -> {
            if (operations[0]++ % Effort.step(150) == 0) {
                SimulatedVfs again = cut.copy();
                assertRecovered(again, operations[0], model);
            }
        });
        StoreDriver.open(hooked, StoreDriver.SMALL).close();
        assertTrue(operations[0] > 300, operations[0] + " operations");
    }

    private static void assertRecovered(SimulatedVfs vfs, int operation, TreeMap<byte[], byte[]> model) {
        vfs.crashAt(operation);
        try {
            StoreDriver.open(vfs, StoreDriver.SMALL).close();
        } catch (RuntimeException | Error e) {
            // The cut.
        }
        for (long seed = 0; seed < 3; seed++) {
            FlexDB found = StoreDriver.open(vfs.crash(seed), StoreDriver.SMALL);
            StoreOracle.assertSame(model, StoreDriver.all(found), "cut at " + operation + ", seed " + seed);
        }
    }

    /** A write of very many entries of next to no bytes can't have been in a memtable of its log's size. */
    @Test
    void aSmallLogThatAsksForMuchMemoryIsDamaged() {
        SimulatedVfs vfs = new SimulatedVfs();
        StoreDriver.open(vfs, StoreDriver.SMALL).close();
        int entries = 300_000;
        byte[] payload = new byte[3 * entries];
        for (int i = 0; i < entries; i++) {
            int at = WritePayload.encodeDeleteHeader(payload, 3 * i, 1);
            payload[at] = (byte) i;
        }
        long capacity = 1 << 20;
        WalWriter writer = WalWriter.create(
                vfs, WAL, new WalId(storeId(vfs), 99, 99), capacity, new WalMode(false, true), filled -> {});
        int checksum = WritePayload.checksum(payload, 0, payload.length);
        writer.append(new Payload().set(payload, payload.length, entries, 0, 0), checksum, 1, false);
        writer.close();
        CorruptionException thrown =
                assertThrows(CorruptionException.class, () -> StoreDriver.open(vfs, StoreDriver.SMALL));
        assertTrue(thrown.getMessage().contains(entries + " entries"), thrown.getMessage());
    }

    private static long storeId(SimulatedVfs vfs) {
        try (VfsFile file = vfs.open(StoreDriver.DIRECTORY.resolve("flexdb.options"), OpenMode.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.readFully(bytes, 0);
            Matcher id = Pattern.compile("store = ([0-9a-f]{16})")
                    .matcher(new String(bytes.array(), StandardCharsets.US_ASCII));
            assertEquals(true, id.find());
            return Long.parseUnsignedLong(id.group(1), 16);
        }
    }
}
