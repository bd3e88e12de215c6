package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Logs have the same names under every locale, and none is passed over for having another name.
 */
class WalNamesTest {
    private static final Path DIRECTORY = Path.of("/store/wal");
    private static final long STORE_ID = 5;
    private static final int CAPACITY = 8192;

    private final SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);

    /** A log with one put under each of some sequence numbers, named in the digits of a locale. */
    private void write(Locale locale, long number, long firstSequence, long lastSequence) {
        WalWriter writer = Writes.create(vfs, DIRECTORY, number, STORE_ID, number, CAPACITY, true);
        for (long sequence = firstSequence; sequence <= lastSequence; sequence++) {
            Writes.append(writer, sequence, 20);
        }
        writer.close();
        Path name = DIRECTORY.resolve(String.format(locale, "%020d", number));
        if (!name.equals(writer.path())) {
            vfs.rename(writer.path(), name);
        }
    }

    /** A locale with other digits; a JVM whose file names are ASCII has no names in them, and ends the test. */
    private static Locale foreign() {
        String charset = System.getProperty("sun.jnu.encoding");
        assumeTrue(Charset.forName(charset).newEncoder().canEncode('\u0660'), "file names are " + charset);
        return Locale.forLanguageTag("ar-EG");
    }

    private List<Long> replay(long coveredSequence) {
        List<Long> found = new ArrayList<>();
        WalRecovery recovery = WalRecovery.open(vfs, DIRECTORY, STORE_ID);
        recovery.replay(coveredSequence, (first, payload) -> found.add(first));
        recovery.deleteReplayed();
        return found;
    }

    @Test
    void namesAreTheSameUnderEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            for (Locale locale : Locale.getAvailableLocales()) {
                Locale.setDefault(locale);
                assertEquals("00000000000000000000", WalFormat.fileName(0), locale::toLanguageTag);
                assertEquals("00000000001234567890", WalFormat.fileName(1234567890), locale::toLanguageTag);
                assertEquals("09223372036854775807", WalFormat.fileName(Long.MAX_VALUE), locale::toLanguageTag);
            }
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void namesInOtherDigitsAreNotThoseOfLogs() {
        TreeSet<String> names = new TreeSet<>();
        for (Locale locale : Locale.getAvailableLocales()) {
            names.add(String.format(locale, "%020d", 1234567890L));
        }
        assertTrue(names.size() > 5, names::toString);
        for (String name : names) {
            assertEquals(name.equals("00000000001234567890"), WalFormat.isFileName(name), name);
            assertEquals(name.equals("00000000001234567890"), WalFormat.isUnfinishedName(name + ".new"), name);
        }
        assertFalse(WalFormat.isFileName("0000000000123456789x"));
        assertFalse(WalFormat.isFileName("0".repeat(19)));
    }

    @Test
    void aLogNamedInOtherDigitsIsRefused() {
        write(Locale.ROOT, 1, 1, 3);
        write(foreign(), 2, 4, 6);
        List<String> before = vfs.list(DIRECTORY);
        CorruptionException thrown = assertThrows(CorruptionException.class, () -> replay(0));
        assertTrue(thrown.expected().contains("20 digits from 0 to 9"), thrown::getMessage);
        assertEquals(before, vfs.list(DIRECTORY));
    }

    @Test
    void aLogUnderAnotherNameIsRefused() {
        write(Locale.ROOT, 1, 1, 2);
        Path strange = DIRECTORY.resolve("copy of 1");
        vfs.rename(DIRECTORY.resolve(WalFormat.fileName(1)), strange);
        CorruptionException thrown = assertThrows(CorruptionException.class, () -> replay(0));
        assertEquals(strange, thrown.file());
        assertEquals(List.of("copy of 1"), vfs.list(DIRECTORY));
    }

    /** Foreign digits in UTF-8, as a JVM whose file names are ASCII shows them. */
    @Test
    void aNameThatCanNotBeReadIsRefused() {
        foreign();
        vfs.setContent(DIRECTORY.resolve("\uFFFD".repeat(40)), new byte[5]);
        CorruptionException thrown = assertThrows(CorruptionException.class, () -> replay(0));
        assertTrue(thrown.expected().contains("sun.jnu.encoding"), thrown::getMessage);
    }
}
