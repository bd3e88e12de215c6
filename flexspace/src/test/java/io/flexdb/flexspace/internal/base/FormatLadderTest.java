package io.flexdb.flexspace.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.UnsupportedFormatException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A ladder of three steps with gaps between the numbers, of which the first is not read any more. */
class FormatLadderTest {
    private static final Path FILE = Path.of("/store/file");

    private enum Steps implements FormatStep {
        FIRST(3, "0.1.0"),
        SECOND(5, "0.2.0"),
        THIRD(6, "0.4.0");

        private final int number;
        private final String release;

        Steps(int number, String release) {
            this.number = number;
            this.release = release;
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public String release() {
            return release;
        }
    }

    private static final FormatLadder LADDER = new FormatLadder(Steps.values(), Steps.SECOND);

    private static String refused(int number) {
        UnsupportedFormatException e =
                assertThrows(UnsupportedFormatException.class, () -> LADDER.requireReadable(FILE, "data file", number));
        assertEquals(FILE, e.file());
        assertEquals(number, e.found());
        assertEquals(5, e.oldestSupported());
        assertEquals(6, e.newestSupported());
        assertTrue(e.getMessage().startsWith("data file /store/file has format version " + number), e::getMessage);
        return e.getMessage();
    }

    @Test
    void stepsFromTheOldestReadableOnAreReadAndTheLastIsWritten() {
        LADDER.requireReadable(FILE, "data file", 5);
        LADDER.requireReadable(FILE, "data file", 6);
        assertEquals(6, LADDER.written());
        assertEquals(5, LADDER.oldestReadable());
    }

    @Test
    void anyOtherIsRefusedWithWhatToDo() {
        assertTrue(refused(7).contains("newer FlexDB"));
        assertTrue(refused(3).contains("release 0.2.0, which migrates it"));
        assertTrue(refused(4).contains("release 0.2.0"));
        assertTrue(refused(2).contains("before release 0.1.0"));
        assertTrue(refused(-1).contains("before release 0.1.0"));
    }

    @Test
    void numbersMustAscend() {
        FormatStep[] steps = {Steps.SECOND, Steps.FIRST};
        assertThrows(IllegalArgumentException.class, () -> new FormatLadder(steps, Steps.SECOND));
    }
}
