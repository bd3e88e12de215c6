package io.flexdb.flexspace.internal.vfs;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Tells failures for want of space from others: a disk is full, a quota used up, or a file may not become longer.
 * Thread-safe.
 */
final class WantOfSpace {
    /*
     * The problem: of an error the JDK hands over the text that the C library has for it, in the language of the
     * process, and no number. The choice: this process's texts are learned. /dev/full fails each write as a full disk
     * does, /proc/self/mem fails a read as a bad device does, and JNA, if it is there, asks for all of them. Where a
     * text says nothing, a new file beside the one that could not be written is tried: if it can be made, but gets no
     * byte, for the same reason, there is no space; if it gets one, but none as far from its beginning, files may not
     * become as long.
     */
    static final String PROBE_NAME = "space.probe";

    private static final int MAX_INTERRUPTS = 100;
    private static final Set<OpenOption> PROBE_OPTIONS = Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE,
            LinkOption.NOFOLLOW_LINKS);

    private final List<String> texts = new ArrayList<>();
    private final String deviceError;

    /**
     * @param texts of failures for want of space, or parts of them; null if one is not known
     * @param deviceError the text of a failure of a device; null if it is not known
     */
    WantOfSpace(List<String> texts, String deviceError) {
        for (String text : texts) {
            if (text != null && !text.isBlank()) {
                this.texts.add(text);
            }
        }
        this.deviceError = deviceError;
    }

    private static final class OfProcess {
        private static final WantOfSpace LEARNED = learn();
    }

    /** With the texts of this process. */
    static WantOfSpace ofProcess() {
        return OfProcess.LEARNED;
    }

    private static WantOfSpace learn() {
        List<String> texts = new ArrayList<>(List.of("No space left", "quota exceeded", "File too large"));
        texts.add(textOfFullDisk());
        texts.addAll(NativeIo.wantOfSpaceTexts());
        return new WantOfSpace(texts, textOfDeviceError());
    }

    /** The message of a full disk to this process; null if that can't be found out. */
    static String textOfFullDisk() {
        try (FileChannel full = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE)) {
            full.write(ByteBuffer.allocate(1));
            return null;
        } catch (FileSystemException | ClosedByInterruptException e) {
            return null; // it is not there, or the next failure tells
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private static String textOfDeviceError() {
        try (FileInputStream memory = new FileInputStream("/proc/self/mem")) {
            memory.read(); // the byte at address 0, where nothing is
            return null;
        } catch (FileNotFoundException e) {
            return null;
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    /** Whether a failure says so by its text. */
    boolean isTextOf(IOException failure) {
        String reason = reasonOf(failure);
        return texts.stream().anyMatch(reason::contains);
    }

    /** The text without the name of the file, which may say anything. */
    private static String reasonOf(IOException failure) {
        String reason = failure instanceof FileSystemException e ? e.getReason() : failure.getMessage();
        return reason == null ? "" : reason;
    }

    /**
     * Whether a write has failed for want of space, by its text or by what a new file meets.
     *
     * @param file where the file is, in a directory of ours
     * @param position of the first byte that could not be written
     */
    boolean isCauseOf(IOException failure, Place file, long position) {
        String reason = reasonOf(failure);
        if (isTextOf(failure) || reason.isEmpty() || reason.equals(deviceError)) {
            return isTextOf(failure);
        }
        Place probe = file.sibling(PROBE_NAME);
        String met = tryToWrite(probe, 0);
        return reason.equals(met == null ? tryToWrite(probe, position) : met);
    }

    /**
     * Writes a byte to a new file, which is gone afterwards. Returns null, or the reason why it could not be written.
     */
    private static synchronized String tryToWrite(Place probe, long position) {
        boolean interrupted = Thread.interrupted();
        try {
            for (int i = 0; i < MAX_INTERRUPTS; i++) {
                try (FileChannel channel = probe.open(PROBE_OPTIONS)) {
                    channel.write(ByteBuffer.allocate(1), position);
                    return null;
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                } catch (FileSystemException | ClosedDirectoryStreamException e) {
                    return null; // it could not even be made: that is no want of space for data
                } catch (IOException e) {
                    return reasonOf(e);
                }
            }
            return null;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
