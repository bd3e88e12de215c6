package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * A space as FlexDB left it when it still wrote new extents into dead frames of sealed segments, and was cut: its
 * checkpoint knows of such segments, its log says of some that they are sealed again, and has frames of others.
 * Segments of 16 KiB with frames of 512 bytes; a cap of 64 segments.
 */
final class RefilledSpace {
    private static final String NAME = "refilled-space.zip";
    private static final String CONTENT = "content";

    private RefilledSpace() {}

    static SimulatedVfs load(Path directory) {
        SimulatedVfs vfs = new SimulatedVfs();
        vfs.createDirectories(directory);
        vfs.syncDirectory(directory.getParent());
        try (ZipInputStream zip = open()) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (!entry.getName().equals(CONTENT)) {
                    vfs.setContent(directory.resolve(entry.getName()), zip.readAllBytes());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return vfs;
    }

    /** The bytes of its address space. */
    static byte[] content() {
        try (ZipInputStream zip = open()) {
            while (!zip.getNextEntry().getName().equals(CONTENT)) {
                // goes on
            }
            return zip.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ZipInputStream open() {
        InputStream file = RefilledSpace.class.getResourceAsStream(NAME);
        return new ZipInputStream(file);
    }
}
