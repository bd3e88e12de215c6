package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores of early builds, which named their logs in the digits of the default locale. */
class FlexDBForeignLogsTest {
    private static final Path LOGS = StoreDriver.DIRECTORY.resolve("wal");
    private static final int KEYS = 50;

    private static byte[] key(int number) {
        return new byte[] {'k', (byte) (number % KEYS)};
    }

    private static byte[] value(int number) {
        byte[] value = new byte[200];
        value[0] = (byte) number;
        value[1] = (byte) (number >>> 8);
        return value;
    }

    /** A store whose process was killed after some writes, as an early build left it under a locale. */
    private static SimulatedVfs killedStore(Locale locale, int writes) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = StoreDriver.SMALL.withDurability(Durability.SYNC);
        FlexDB db = StoreDriver.open(vfs, options);
        for (int i = 0; i < writes; i++) {
            db.put(key(i), value(i));
        }
        SimulatedVfs killed = vfs.kill();
        rename(killed, locale);
        return killed;
    }

    private static void rename(SimulatedVfs vfs, Locale locale) {
        String charset = System.getProperty("sun.jnu.encoding");
        // A JVM whose file names are ASCII has no names in foreign digits.
        assumeTrue(
                locale == Locale.ROOT || Charset.forName(charset).newEncoder().canEncode('\u0660'), charset);
        for (String name : vfs.list(LOGS)) {
            vfs.rename(LOGS.resolve(name), LOGS.resolve(String.format(locale, "%020d", Long.parseLong(name))));
        }
        vfs.syncDirectory(LOGS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ar-EG", "fa-IR", "ne-NP", "bn-BD", "my-MM"})
    void nothingInALogNamedInForeignDigitsIsLost(String locale) {
        for (int writes = 1; writes <= 1000; writes = writes * 3 / 2 + 1) {
            SimulatedVfs vfs = killedStore(Locale.forLanguageTag(locale), writes);
            FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL);
            for (int i = Math.max(0, writes - KEYS); i < writes; i++) {
                assertArrayEquals(value(i), db.get(key(i)), "write " + i + " of " + writes);
            }
            assertEquals(writes, db.stats().lastSequence());
            db.close();
            assertTrue(vfs.list(LOGS).isEmpty(), () -> vfs.list(LOGS).toString());
        }
    }

    @Test
    void aStoreThatWasClosedWithoutALogIsRefusedBesideIt() {
        SimulatedVfs vfs = killedStore(Locale.ROOT, 10);
        Path log = LOGS.resolve(vfs.list(LOGS).get(0));
        byte[] content = vfs.content(log);
        FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL);
        for (int i = 0; i < 100; i++) {
            db.put(key(i), value(i));
        }
        db.close();
        vfs.setContent(log, content);
        rename(vfs, Locale.forLanguageTag("ar-EG"));

        CorruptionException thrown =
                assertThrows(CorruptionException.class, () -> StoreDriver.open(vfs, StoreDriver.SMALL));

        assertTrue(thrown.getMessage().contains("move the log away"), thrown::getMessage);
        assertEquals(1, vfs.list(LOGS).size());
        vfs.delete(thrown.file());
        FlexDB again = StoreDriver.open(vfs, StoreDriver.SMALL);
        assertArrayEquals(value(99), again.get(key(99)));
        again.close();
    }
}
