package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How it is known that somebody has written on since a space was read. */
class LogEndTest {
    private static final Path DIRECTORY = Path.of("/space");

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final SpaceSettings settings = OwnedSpaces.settings(FlexSpaceOptions.defaults());
    private final SpaceEngine writer;
    private final SpaceEngine reader;
    private final long generation; // of the log

    LogEndTest() {
        SpaceEngine.create(vfs, DIRECTORY, 1, settings, List.of());
        writer = SpaceEngine.open(vfs, DIRECTORY, 1, settings, new Epochs());
        append(1);
        reader = SpaceEngine.recover(vfs, DIRECTORY, 1, settings, new Epochs());
        generation = vfs.list(DIRECTORY).stream()
                .mapToLong(LogFormat::generationOf)
                .max()
                .orElseThrow();
    }

    private void append(long tag) {
        writer.insert(0, ByteBuffer.allocate(10), 0, 10, 0);
        writer.sync(tag);
    }

    private static Path log(long generation) {
        return DIRECTORY.resolve(LogFormat.fileName(generation));
    }

    @Test
    void aFrameBehindTheEndIsSeenUnlessItIsDamaged() {
        byte[] before = vfs.content(log(generation));
        assertFalse(reader.isOvertaken());
        append(2);
        assertTrue(reader.isOvertaken());
        byte[] after = vfs.content(log(generation));
        int frames = LogFormat.FRAMES_OFFSET;
        int position = frames + Arrays.mismatch(before, frames, before.length, after, frames, after.length);
        after[position] ^= 1;
        vfs.setContent(log(generation), after);
        assertFalse(reader.isOvertaken());
    }

    @Test
    void aLaterLogIsSeenThoughTheOneBeforeIsThereStillAndHasNoMore() {
        vfs.setContent(log(generation + 1), new byte[0]);
        assertTrue(reader.isOvertaken());
    }

    @Test
    void aLogThatIsGoneSaysThatItWasPassed() {
        vfs.delete(log(generation));
        assertTrue(reader.isOvertaken());
    }
}
