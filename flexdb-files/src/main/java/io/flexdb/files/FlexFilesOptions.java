package io.flexdb.files;

import io.flexdb.files.internal.TreeSettings;
import java.time.InstantSource;
import java.util.Objects;

/** How a {@link FlexFileSystem} is opened. Immutable; each {@code with…} method returns a changed copy. */
public final class FlexFilesOptions {
    /** The least bytes of a block: 512. */
    public static final int MIN_BLOCK_BYTES = TreeSettings.MIN_BLOCK_BYTES;

    /** The most bytes of a block: 1 MiB. */
    public static final int MAX_BLOCK_BYTES = TreeSettings.MAX_BLOCK_BYTES;

    private static final int MAX_NAME_LENGTH = 200;
    private static final FlexFilesOptions DEFAULTS = new FlexFilesOptions(
            new TreeSettings("files", 16 << 10, 512, InstantSource.system(), TreeSettings.Removal.DEFAULT));

    private final TreeSettings settings;

    private FlexFilesOptions(TreeSettings settings) {
        this.settings = settings;
    }

    /** The file system named "files", with blocks of 16 KiB, and files of up to 512 bytes in their entries. */
    public static FlexFilesOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Which file system of the store it is: there may be several. Its pairs are in two keyspaces, of this name with
     * ".entries" and ".blocks" behind it.
     *
     * @param name 1 to 200 letters from a to z, digits, and any of "-_."; default "files"
     */
    public FlexFilesOptions withName(String name) {
        Objects.requireNonNull(name, "name must not be null");
        if (name.length() > MAX_NAME_LENGTH || !name.matches("[A-Za-z0-9._-]+")) {
            throw new IllegalArgumentException("name must be 1 to " + MAX_NAME_LENGTH
                    + " letters from a to z, digits and any of \"-_.\": " + name);
        }
        return new FlexFilesOptions(new TreeSettings(
                name, settings.blockBytes(), settings.smallBytes(), settings.clock(), settings.removal()));
    }

    /**
     * Bytes of a block, of a file system that is made: one that is there keeps its own. Large blocks make long reads and
     * writes faster, small ones changes of a few bytes. The store's memtables must have four times as much.
     *
     * @param bytes default 16384; from {@link #MIN_BLOCK_BYTES} to {@link #MAX_BLOCK_BYTES}
     */
    public FlexFilesOptions withBlockBytes(int bytes) {
        if (bytes < MIN_BLOCK_BYTES || bytes > MAX_BLOCK_BYTES) {
            throw new IllegalArgumentException(
                    "blockBytes must be from " + MIN_BLOCK_BYTES + " to " + MAX_BLOCK_BYTES + ": " + bytes);
        }
        return new FlexFilesOptions(
                new TreeSettings(settings.name(), bytes, settings.smallBytes(), settings.clock(), settings.removal()));
    }

    /**
     * Up to how many bytes a file is kept in its directory's entry, and not in a block. Such a file is read and written
     * by one pair, and lies beside the others of its directory; but who only lists the directory reads it as well. May be
     * another one each time; files that were written before stay as they are. A file that has blocks keeps them until it
     * is empty.
     *
     * @param bytes default 512; from 0 to {@link #MAX_BLOCK_BYTES}; more than a block has no effect
     */
    public FlexFilesOptions withSmallFileBytes(int bytes) {
        if (bytes < 0 || bytes > MAX_BLOCK_BYTES) {
            throw new IllegalArgumentException("smallFileBytes must be from 0 to " + MAX_BLOCK_BYTES + ": " + bytes);
        }
        return new FlexFilesOptions(
                new TreeSettings(settings.name(), settings.blockBytes(), bytes, settings.clock(), settings.removal()));
    }

    /**
     * What the times of files are taken from.
     *
     * @param clock default {@link InstantSource#system()}
     */
    public FlexFilesOptions withClock(InstantSource clock) {
        Objects.requireNonNull(clock, "clock must not be null");
        return new FlexFilesOptions(new TreeSettings(
                settings.name(), settings.blockBytes(), settings.smallBytes(), clock, settings.removal()));
    }

    /** How much of a tree is removed at once, for tests. */
    FlexFilesOptions withRemoval(int ids, int ranges) {
        return new FlexFilesOptions(new TreeSettings(
                settings.name(),
                settings.blockBytes(),
                settings.smallBytes(),
                settings.clock(),
                new TreeSettings.Removal(ids, ranges)));
    }

    /** The name of the file system in its store. */
    public String name() {
        return settings.name();
    }

    /** Bytes of a block of a file system that is made. */
    public int blockBytes() {
        return settings.blockBytes();
    }

    /** Up to how many bytes a file is kept in its entry. */
    public int smallFileBytes() {
        return settings.smallBytes();
    }

    TreeSettings settings() {
        return settings;
    }

    @Override
    public String toString() {
        return "FlexFilesOptions[name=" + name() + ", blockBytes=" + blockBytes() + ", smallFileBytes="
                + smallFileBytes() + "]";
    }
}
