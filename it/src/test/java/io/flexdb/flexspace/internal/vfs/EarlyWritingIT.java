package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.storage.StorageException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that fails what is written early, before anybody forces it: an ext4 image whose own file finds no space. Needs
 * root and e2fsprogs, and runs only with the profile {@code filesystems}; see docs/testing.md.
 */
class EarlyWritingIT {
    private static final int PIECE_BYTES = 16 << 20;

    @TempDir
    private Path directory;

    private Path small;
    private Path mounted;

    @BeforeEach
    void mount() throws Exception {
        small = Files.createDirectory(directory.resolve("small"));
        mounted = Files.createDirectory(directory.resolve("mounted"));
        run("mount", "-t", "tmpfs", "-o", "size=40m", "none", small.toString());
        Path image = small.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(200 << 20);
        }
        run("mkfs.ext4", "-q", "-O", "^has_journal", image.toString());
        run("mount", "-o", "loop", image.toString(), mounted.toString());
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", mounted.toString());
        run("umount", small.toString());
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), String.join(" ", command) + ": " + said);
    }

    private void breakDisk() throws IOException {
        try (FileChannel fill =
                FileChannel.open(small.resolve("fill"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            assertThrows(IOException.class, () -> {
                while (true) {
                    fill.write(ByteBuffer.allocate(4096));
                }
            });
        }
    }

    /** Writes what the disk can't take, and returns when it has been told to begin with it, and maybe failed. */
    private VfsFile writeInVain() throws Exception {
        VfsFile file = new RealVfs().open(mounted.resolve("file"), OpenMode.CREATE);
        file.write(ByteBuffer.allocateDirect(PIECE_BYTES), 0);
        file.force();
        run("fallocate", "--dig-holes", small.resolve("image").toString()); // where it holds these zeros
        breakDisk();
        ByteBuffer bytes = ByteBuffer.allocateDirect(PIECE_BYTES);
        for (int i = 0; i < PIECE_BYTES; i += 4096) {
            bytes.putLong(i, 1);
        }
        file.write(bytes, 0);
        file.startWriting(0, PIECE_BYTES);
        if (!NativeIo.isAvailable() && MappedPart.isPossible()) {
            while (!isWriterIdle()) {
                Thread.onSpinWait();
            }
        }
        return file;
    }

    private static boolean isWriterIdle() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread ->
                        thread.getName().equals("flexdb-early-writing") && thread.getState() == Thread.State.WAITING);
    }

    @Test
    void whatFailsEarlyFailsTheForce() throws Exception {
        try (VfsFile file = writeInVain()) {
            assertThrows(StorageException.class, file::force);
        }
    }

    @Test
    void whatFailsEarlyFailsTheForceAfterAnInterruptToo() throws Exception {
        try (VfsFile file = writeInVain()) {
            ((RealVfsFile) file).channel().close(); // as an interrupt within an operation does
            assertEquals(PIECE_BYTES, file.size());
            assertThrows(StorageException.class, file::force);
        }
    }
}
