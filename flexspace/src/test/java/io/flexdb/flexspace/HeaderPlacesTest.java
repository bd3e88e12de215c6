package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The header of a checkpoint is written when nothing may fail any more for want of disk space. So both places of headers
 * have theirs from the beginning of the file on, and are no holes in it.
 */
class HeaderPlacesTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final Path TREE = DIRECTORY.resolve(TreeFileFormat.FILE_NAME);
    private static final Path UNFINISHED = DIRECTORY.resolve(TreeFileFormat.NAME_WHILE_MADE);

    /** Knows which bytes at the beginning of the FlexTree file have disk space. */
    private static final class HolesVfs extends ForwardingVfs {
        final Map<Path, boolean[]> taken = new HashMap<>();
        int headers;
        int copies;

        HolesVfs(SimulatedVfs vfs) {
            super(vfs);
        }

        @Override
        public VfsFile open(Path path, OpenMode mode) {
            VfsFile file = super.open(path, mode);
            if (!path.equals(TREE) && !path.equals(UNFINISHED)) {
                return file;
            }
            if (mode == OpenMode.CREATE) {
                taken.put(path, new boolean[TreeFileFormat.UNITS_OFFSET]);
            }
            boolean[] has = taken.get(path);
            return new ForwardingVfsFile(file) {
                @Override
                public boolean allocateUnwritten(long position, long bytes) {
                    take(position, bytes);
                    return true;
                }

                @Override
                public void write(ByteBuffer src, long position) {
                    if (position < has.length && path.equals(TREE)) {
                        headers++;
                        for (int i = 0; i < src.remaining(); i++) {
                            assertTrue(has[(int) position + i], "a header is written into a hole");
                        }
                    }
                    take(position, src.remaining());
                    super.write(src, position);
                }

                private void take(long position, long bytes) {
                    int from = (int) Math.min(has.length, position);
                    Arrays.fill(has, from, (int) Math.min(has.length, position + bytes), true);
                }
            };
        }

        @Override
        public void rename(Path from, Path to) {
            super.rename(from, to);
            if (from.equals(UNFINISHED)) {
                taken.put(to, taken.remove(from));
                copies++;
            }
        }
    }

    @Test
    void noHeaderOfACheckpointIsWrittenIntoAHole() {
        HolesVfs vfs = new HolesVfs(new SimulatedVfs());
        FlexSpaceOptions options = FlexSpaceOptions.defaults().withSegments(64 << 10, 512);
        byte[] piece = new byte[16];
        for (int round = 0; round < 3; round++) {
            try (FlexSpace space = FlexSpace.open(vfs, DIRECTORY, options)) {
                for (int i = 0; i < 3; i++) {
                    space.insertRange(0, ByteBuffer.wrap(piece));
                    space.checkpoint();
                }
                for (int i = 0;
                        i < 4000;
                        i++) { // which the last version is without, so the file is copied at the close
                    space.insertRange(space.size() / 2, ByteBuffer.wrap(piece));
                }
                space.checkpoint();
                while (space.size() > 64) { // by so many changes that the close makes a checkpoint
                    space.collapseRange(0, 64);
                }
            }
        }
        assertTrue(vfs.headers >= 12, vfs.headers + " headers");
        assertTrue(vfs.copies > 1, vfs.copies + " files were made");
        assertEquals(1, vfs.taken.size());
    }
}
