package io.flexdb.internal.tools;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Files whose checksums are right and whose content is not. */
class HostileRunFileTest {
    private static final long ID = 77;

    private final SimulatedVfs vfs = new SimulatedVfs();
    private int files;

    /** A file of one block and a trailer. */
    private VfsFile file(byte[] content, long pairs, long bytes) {
        VfsFile file = vfs.open(Path.of("/file" + files++), OpenMode.CREATE);
        file.write(FilePreamble.finish(FilePreamble.begin(FormatVersion.RUN, 5).putLong(ID)), 0);
        ByteBuffer block = ByteBuffer.allocate(8 + content.length).order(ByteOrder.LITTLE_ENDIAN);
        block.putInt(0, content.length).put(8, content);
        block.putInt(4, RunFileFormat.checksum(new CRC32C(), ID, 4096, block, block.capacity()));
        file.write(block, 4096);
        long at = 4096L + block.capacity();
        ByteBuffer trailer = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
        trailer.putLong(8, pairs).putLong(16, bytes);
        trailer.putInt(4, RunFileFormat.checksum(new CRC32C(), ID, at, trailer, 24));
        file.write(trailer, at);
        return file;
    }

    private static void readAll(VfsFile file) {
        RunFileReader reader = new RunFileReader(file, 1 << 30);
        while (reader.next()) {
            assertTrue(reader.pairs() < 1000);
        }
    }

    private void assertRefused(int... content) {
        byte[] bytes = new byte[content.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) content[i];
        }
        VfsFile file = file(bytes, 1, bytes.length);
        assertThrows(CorruptionException.class, () -> readAll(file));
    }

    @Test
    void aSoundFileIsRead() {
        RunFileReader reader = new RunFileReader(file(new byte[] {0, 1, 2, 'a', 1, 2, 0, 1, 0, 'b'}, 2, 10), 10);
        assertTrue(reader.next());
        assertTrue(reader.next());
        assertFalse(reader.next());
        assertFalse(reader.next());
    }

    @Test
    void lengthsThatTheFileDoesNotHaveAskForNoMemory() {
        assertRefused(0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 3, 'a');
        assertRefused(0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 'a');
        assertRefused(0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 'a');
        assertRefused(0, 0xFF, 0xFF, 3, 1, 'a');
        assertRefused(0, 0xFF, 0xFF, 7, 1, 'a');
        assertRefused(0, 100, 1, 'a');
    }

    @Test
    void pairsThatAreNoneAreRefused() {
        assertRefused(2, 1, 1, 'a', 'b'); // flags
        assertRefused(0, 0, 1, 'b'); // no key
        assertRefused(0); // the end within
        assertRefused(1, 1, 0, 1, 2, 3, 'a'); // no whole time
        assertRefused(0, 1, 0, 'b', 0, 1, 0, 'a'); // not in order
        assertRefused(0, 1, 0, 'b', 0, 1, 0, 'b');
    }

    @Test
    void aTrailerThatSaysSomethingElseIsRefused() {
        byte[] content = {0, 1, 0, 'b'};
        assertThrows(CorruptionException.class, () -> readAll(file(content, 2, 4)));
        assertThrows(CorruptionException.class, () -> readAll(file(content, 1, 5)));
    }
}
