package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the flight recorder is told of a space. */
class SpaceEventsTest {
    private static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults()
            .withSegments(32 * 512, 512)
            .withCheckpointLogBytes(64 << 10)
            .withLogBufferBytes(8 << 10)
            .withMinimumUtilization(0.6);

    @TempDir
    private Path directory;

    @Test
    void forcesCheckpointsAndCollectionsAreRecorded() throws IOException {
        Path space = directory.resolve("space");
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            for (String kind : List.of("Force", "Checkpoint", "SpaceCollection")) {
                recording.enable("io.flexdb." + kind).withoutThreshold().withoutStackTrace();
            }
            recording.start();
            work(space);
            recording.stop();
            Path file = directory.resolve("events.jfr");
            recording.dump(file);
            events = RecordingFile.readAllEvents(file);
        }
        assertTrue(
                of("Force", events).stream()
                        .allMatch(event -> event.getString("file").startsWith(space.toString())),
                events::toString);
        assertTrue(of("Checkpoint", events).stream().anyMatch(event -> event.getLong("bytesWritten") > 0));
        assertTrue(of("SpaceCollection", events).stream().anyMatch(event -> event.getLong("segmentsEmptied") > 0));
    }

    /** Overwrites a small space until checkpoints were made and garbage was collected. */
    private static void work(Path space) {
        Random random = new Random(3);
        try (FlexSpace open = FlexSpace.open(space, OPTIONS)) {
            open.insertRange(0, ByteBuffer.wrap(SpaceOracle.randomBytes(random, 200_000)));
            while (open.stats().collection().bytesMoved() == 0
                    || open.stats().checkpoints().count() == 0) {
                byte[] bytes = SpaceOracle.randomBytes(random, 1 + random.nextInt(500));
                open.write(random.nextInt(200_000 - bytes.length), ByteBuffer.wrap(bytes));
            }
            open.sync();
            assertEquals(200_000, open.size());
        }
    }

    private static List<RecordedEvent> of(String kind, List<RecordedEvent> events) {
        List<RecordedEvent> found = events.stream()
                .filter(event -> event.getEventType().getName().equals("io.flexdb." + kind))
                .toList();
        assertFalse(found.isEmpty(), kind);
        return found;
    }
}
