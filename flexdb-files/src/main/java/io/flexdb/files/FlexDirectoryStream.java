package io.flexdb.files;

import io.flexdb.files.internal.FileTree;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The entries of a directory, in the order of their names. They are read some at a time, so that a stream that nobody
 * closes holds nothing back; what changes meanwhile may show or not.
 */
final class FlexDirectoryStream implements DirectoryStream<Path> {
    private static final int FIRST_PAGE = 64;
    private static final int PAGE = 1000;

    private final FlexFileSystem fileSystem;
    private final FlexPath directory;
    private final long id;
    private final Filter<? super Path> filter;
    private volatile boolean open = true;
    private boolean begun;

    FlexDirectoryStream(FlexPath directory, long id, Filter<? super Path> filter) {
        this.fileSystem = directory.fileSystem();
        this.directory = directory;
        this.id = id;
        this.filter = filter;
    }

    @Override
    public synchronized Iterator<Path> iterator() {
        if (!open || begun) {
            throw new IllegalStateException(open ? "there has been an iterator" : "the stream is closed");
        }
        begun = true;
        return new Entries();
    }

    @Override
    public void close() {
        open = false;
    }

    private final class Entries implements Iterator<Path> {
        private List<FileTree.Named> page = List.of();
        private int at;
        private int pageLimit;
        private String last;
        private boolean ended;
        private Path next; // null if it is to be found

        @Override
        public synchronized boolean hasNext() {
            try {
                while (next == null && !ended && open) {
                    if (at == page.size()) {
                        turnPage();
                    } else {
                        Path found = directory.child(page.get(at++).name());
                        next = filter.accept(found) ? found : null;
                    }
                }
            } catch (IOException e) {
                throw new DirectoryIteratorException(e);
            }
            return next != null;
        }

        private void turnPage() throws IOException {
            fileSystem.requireOpen();
            if (page.size() < pageLimit) {
                ended = true;
                return;
            }
            pageLimit = last == null ? FIRST_PAGE : PAGE;
            page = fileSystem.tree().list(id, last, pageLimit);
            at = 0;
            if (!page.isEmpty()) {
                last = page.get(page.size() - 1).name();
            }
        }

        @Override
        public synchronized Path next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Path found = next;
            next = null;
            return found;
        }
    }
}
