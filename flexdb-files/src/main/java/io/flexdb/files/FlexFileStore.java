package io.flexdb.files;

import io.flexdb.files.internal.FileTree;
import io.flexdb.storage.StorageException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;

/** The store that a file system is in, with the space of its data file and what the disk has left. */
final class FlexFileStore extends FileStore {
    private final OpenStore store;
    private final String name;
    private final Path directory; // of the store; null if it is not known

    FlexFileStore(OpenStore store, String name) {
        this.store = store;
        this.name = name;
        this.directory = store.directory();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String type() {
        return "flexdb";
    }

    @Override
    public boolean isReadOnly() {
        return store.isReadOnly();
    }

    @Override
    public long getTotalSpace() throws IOException {
        try {
            long total = store.diskBytes() + getUsableSpace();
            return total < 0 ? Long.MAX_VALUE : total;
        } catch (StorageException e) {
            throw FileTree.failure(e);
        }
    }

    /** What the disk has left; as much as there can be where the directory of the store is not known. */
    @Override
    public long getUsableSpace() throws IOException {
        return directory == null
                ? Long.MAX_VALUE
                : Files.getFileStore(directory).getUsableSpace();
    }

    @Override
    public long getUnallocatedSpace() throws IOException {
        return directory == null
                ? Long.MAX_VALUE
                : Files.getFileStore(directory).getUnallocatedSpace();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return type == BasicFileAttributeView.class;
    }

    @Override
    public boolean supportsFileAttributeView(String view) {
        return view.equals("basic");
    }

    @Override
    public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
        return null;
    }

    @Override
    public Object getAttribute(String attribute) throws IOException {
        return switch (attribute) {
            case "totalSpace" -> getTotalSpace();
            case "usableSpace" -> getUsableSpace();
            case "unallocatedSpace" -> getUnallocatedSpace();
            default -> throw new UnsupportedOperationException("there is no attribute \"" + attribute + "\"");
        };
    }

    @Override
    public String toString() {
        return name + " (" + type() + ")";
    }
}
