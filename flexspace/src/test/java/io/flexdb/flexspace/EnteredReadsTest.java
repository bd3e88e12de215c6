package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever enters an epoch leaves it, whatever fails: a space waits for that when it is closed. */
class EnteredReadsTest {
    private static final Pattern ENTERS = Pattern.compile("\\w+ = .*\\benter(Read)?\\(\\);.*");

    @Test
    void aReadWithoutMemoryForItsCursorKeepsNobodyFromClosing() {
        SimulatedVfs vfs = new SimulatedVfs();
        SpaceEngine.create(vfs, CrashHistory.DIRECTORY, 1, CrashHistory.SMALL.settings(), List.of());
        Epochs epochs = new Epochs();
        SpaceEngine engine = SpaceEngine.open(vfs, CrashHistory.DIRECTORY, 1, CrashHistory.SMALL.settings(), epochs);
        FlexSpaceAccess access = new FlexSpaceAccess(engine, epochs);
        new FlexSpaceChanges(access, engine).insertRange(0, ByteBuffer.allocate(100));
        FlexSpaceReads reads = new FlexSpaceReads(access, engine, () -> {
            throw new OutOfMemoryError("no cursor");
        });
        assertThrows(
                OutOfMemoryError.class,
                () -> reads.readExtent(null, 0, ByteBuffer.allocate(10), FlexSpace.Extent::new));
        assertTimeoutPreemptively(Waiting.LONGEST, access::end);
        engine.close();
    }

    /** An allocation in between would do: any of them may fail. */
    @Test
    void nothingStandsBetweenEnteringAndTheTryThatLeaves() throws IOException {
        List<String> wrong = new ArrayList<>();
        int found = 0;
        for (Path source : sources()) {
            List<String> lines = Files.readAllLines(source);
            for (int i = 0; i < lines.size(); i++) {
                if (ENTERS.matcher(lines.get(i)).find()) {
                    found++;
                    String next = lines.get(i + 1).strip();
                    boolean leavesAtOnce = next.startsWith("if (!health."); // and then throws
                    if (!next.equals("try {") && !leavesAtOnce) {
                        wrong.add(source.getFileName() + ":" + (i + 1) + " "
                                + lines.get(i).strip());
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(found >= 6, found + " places");
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(sourceDirectory())) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    private static Path classes() {
        try {
            return Path.of(EnteredReadsTest.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Found from this class, or else from the working directory, which may be another module's. */
    private static Path sourceDirectory() {
        Path classes = classes();
        for (Path start : List.of(classes, Path.of("").toAbsolutePath())) {
            for (Path above = start; above != null; above = above.getParent()) {
                Path sources = above.resolve("flexspace/src/main/java");
                if (Files.isDirectory(sources)) {
                    return sources;
                }
            }
        }
        throw new AssertionError("no sources of flexspace above " + classes + " or the working directory");
    }
}
