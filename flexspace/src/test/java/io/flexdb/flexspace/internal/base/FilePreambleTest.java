package io.flexdb.flexspace.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FilePreambleTest {
    private static final Path FILE = Path.of("/f");

    private static ByteBuffer block() {
        return FilePreamble.finish(
                FilePreamble.begin(FilePreamble.Kind.LOG, 42).putLong(7).putInt(8));
    }

    private static ByteBuffer check(ByteBuffer block, FilePreamble.Kind kind, long storeId) {
        return FilePreamble.check(FILE, 0, block, kind, 12, storeId);
    }

    @Test
    void aBlockBeginsWithMagicKindVersionAndStore() {
        ByteBuffer block = block();
        assertEquals(FilePreamble.BLOCK_BYTES, block.remaining());
        byte[] magic = new byte[8];
        block.get(0, magic);
        assertEquals("FlexDB\r\n", new String(magic, StandardCharsets.US_ASCII));
        assertEquals(FilePreamble.Kind.LOG.code(), block.getInt(8));
        assertEquals(FilePreamble.Kind.LOG.formats().written(), block.getInt(12));
        assertEquals(42, block.getLong(16));
        assertEquals(FilePreamble.crc(block, 0, 24), block.getInt(24));
        assertEquals(0, block.getInt(28));
        assertEquals(7, block.getLong(32));
        assertEquals(FilePreamble.crc(block, 0, 44), block.getInt(44));
        for (int i = 48; i < block.limit(); i++) {
            assertEquals(0, block.get(i));
        }
    }

    @Test
    void aGoodBlockIsPositionedAtItsFields() {
        ByteBuffer checked = check(block(), FilePreamble.Kind.LOG, 42);
        assertEquals(7, checked.getLong());
        assertEquals(8, checked.getInt());
        assertEquals(42, FilePreamble.storeId(checked));
        check(block(), FilePreamble.Kind.LOG, 0);
    }

    @Test
    void whateverIsWrongIsNamed() {
        CorruptionException kind =
                assertThrows(CorruptionException.class, () -> check(block(), FilePreamble.Kind.DATA, 42));
        assertTrue(kind.expected().contains("data file"), kind.expected());
        assertEquals(8, kind.position());
        CorruptionException store =
                assertThrows(CorruptionException.class, () -> check(block(), FilePreamble.Kind.LOG, 43));
        assertTrue(store.expected().contains("store id"), store.expected());
        for (int i = 0; i < 48; i++) {
            ByteBuffer bad = block();
            bad.put(i, (byte) (bad.get(i) ^ 0x10));
            assertThrows(StorageException.class, () -> check(bad, FilePreamble.Kind.LOG, 42), "byte " + i);
        }
    }

    @Test
    void anotherVersionIsUnsupportedAndADamagedVersionIsDamage() {
        for (int version : new int[] {0, FilePreamble.Kind.LOG.formats().written() + 1, -1}) {
            ByteBuffer other = block();
            other.putInt(12, version);
            assertThrows(CorruptionException.class, () -> check(other, FilePreamble.Kind.LOG, 42));
            other.putInt(24, FilePreamble.crc(other, 0, 24));
            assertThrows(UnsupportedFormatException.class, () -> check(other, FilePreamble.Kind.LOG, 42));
        }
    }

    @Test
    void aFileThatIsTooShortReadsAsZeros() {
        SimulatedVfs vfs = new SimulatedVfs();
        try (VfsFile file = vfs.open(FILE, OpenMode.CREATE)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
            ByteBuffer block = FilePreamble.read(file, 0);
            assertEquals(FilePreamble.BLOCK_BYTES, block.remaining());
            assertEquals(3, block.get(2));
            assertEquals(0, block.get(3));
        }
    }
}
