package io.flexdb.flexspace.internal.engine;

import com.sun.jna.Library;
import com.sun.jna.Native;
import io.flexdb.flexspace.FlexSpace;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What {@link SpaceFilesTest} runs in a JVM of its own: makes a space below a directory that may not be read, as
 * anybody would who may not read everything. If root runs it, its thread gives that right up, and so do those that it
 * starts. Ends with 0 if nothing was thrown or wrong.
 */
final class UnprivilegedProcess {
    private static final int VERSION_OF_CALL = 0x20080522;
    private static final int RIGHTS_TO_FILES = 1 << 1 | 1 << 2; // CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH

    private UnprivilegedProcess() {}

    /**
     * Of the C library. The arrays have those of the calling thread: effective, permitted, inheritable, and these
     * again.
     */
    public interface Capabilities extends Library {
        int capget(int[] header, int[] data);

        int capset(int[] header, int[] data);
    }

    public static void main(String[] arguments) {
        Path unreadable = Path.of(arguments[0]);
        Path directory = Path.of(arguments[1]);
        if (Files.isReadable(unreadable)) {
            giveUpRights();
        }
        require(!Files.isReadable(unreadable), unreadable + " may be read");
        FlexSpace.open(directory, SpaceFilesTest.OPTIONS).close();
        try (FlexSpace space = FlexSpace.open(directory, SpaceFilesTest.OPTIONS)) {
            space.insertRange(0, ByteBuffer.allocate(5));
            space.sync();
            require(space.size() == 5, "size " + space.size());
        }
        System.out.println("made, opened and read");
    }

    private static void giveUpRights() {
        Capabilities library = Native.load("c", Capabilities.class);
        int[] header = {VERSION_OF_CALL, 0};
        int[] data = new int[6];
        require(library.capget(header, data) == 0, "capget fails");
        data[0] &= ~RIGHTS_TO_FILES;
        data[1] &= ~RIGHTS_TO_FILES;
        require(library.capset(header, data) == 0, "capset fails");
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }
}
