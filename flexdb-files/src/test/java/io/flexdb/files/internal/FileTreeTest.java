package io.flexdb.files.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.files.ClockWithHook;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreMemoryException;
import io.flexdb.storage.StoreReadOnlyException;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What can't be brought about by paths alone, since it begins between two steps of something else. */
class FileTreeTest {
    @TempDir
    private Path directory;

    private final ClockWithHook clock = new ClockWithHook();
    private FlexDB db;
    private FileTree tree;

    @BeforeEach
    void open() throws IOException {
        db = FlexDB.open(directory.resolve("store"));
        tree = FileTree.open(db, new TreeSettings("files", 512, 100, clock, TreeSettings.Removal.DEFAULT));
    }

    @AfterEach
    void close() {
        tree.close();
        db.close();
    }

    private long directory(long parent, String name) throws IOException {
        EntryKey key = EntryKey.of(parent, name);
        tree.createDirectory(key, name);
        return tree.lookupDirectory(key);
    }

    @Test
    void noDirectoryIsMovedToWhereATreeIsBeingDeleted() throws IOException {
        long below = directory(directory(FileTree.ROOT, "tree"), "below");
        directory(FileTree.ROOT, "other");
        EntryKey other = EntryKey.of(FileTree.ROOT, "other");
        clock.at(2, () -> {
            NoSuchFileException thrown = assertThrows(
                    NoSuchFileException.class,
                    () -> tree.move(other, EntryKey.of(below, "moved"), false, "/other", "/tree/below/moved"));
            assertEquals("/tree/below/moved", thrown.getFile());
        });
        tree.removeAll(EntryKey.of(FileTree.ROOT, "tree"), "/tree");
        assertTrue(clock.hasRun());
        assertTrue(tree.lookup(other).isDirectory());
        assertEquals(List.of(), tree.check().problems());
    }

    /** Another one changes the same pair each time, unless he has to wait. */
    @Test
    void aChangeThatHasMetOthersTooOftenIsMadeAlone() throws Exception {
        EntryKey key = EntryKey.of(FileTree.ROOT, "f");
        tree.content().close(tree.content().create(key, "/f"));
        List<Thread> others = new ArrayList<>();
        int most = 100;
        tree.store.change(null, change -> {
            change.put(key, change.entry(key).with(Times.of(0)));
            if (others.size() < most) {
                Thread other = new Thread(() -> setTimes(key, others.size()));
                others.add(other);
                other.start();
                Waiting.whileTrue(() -> other.isAlive() && other.getState() != Thread.State.WAITING);
            }
            return null;
        });
        for (Thread each : others) {
            each.join();
        }
        assertTrue(others.size() < most, "the change was made at last beside " + others.size() + " others");
        assertEquals(Times.of(others.size()), tree.lookup(key).times());
    }

    private void setTimes(EntryKey key, int time) {
        try {
            tree.setTimes(key, "/f", old -> Times.of(time));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatHasBeenRemovedBeforeItWasCompleteIsNotPlaced() throws IOException {
        EntryKey to = EntryKey.of(FileTree.ROOT, "f");
        try (FileImport made = new FileImport(tree)) {
            made.write(ByteBuffer.allocate(2000));
            EntryKey aside = EntryKey.removed(
                    tree.list(TreeFormat.REMOVED, null, 1).get(0).entry().id());
            Entry entry = tree.lookup(aside);
            tree.store.change(null, change -> {
                change.delete(aside);
                change.deleteBlocks(entry, 0);
                return null;
            });
            assertThrows(NoSuchFileException.class, () -> tree.place(aside, entry, to, false, "/f"));
        }
        assertNull(tree.lookup(to));
        assertEquals(List.of(), tree.check().problems());
    }

    /** Whoever removes or moves a file holds its lock, so who makes it waits for that and has made nothing yet. */
    @Test
    void nobodyRemovesAFileBetweenItsMakingAndItsOpening() throws Exception {
        OpenFile first = tree.content().create(EntryKey.of(FileTree.ROOT, "first"), "/first");
        EntryKey key = EntryKey.of(FileTree.ROOT, "f");
        long next = first.id + 1;
        OpenFiles.Held held = tree.open.lock(next);
        FutureTask<OpenFile> making = new FutureTask<>(() -> tree.content().create(key, "/f"));
        Thread maker = new Thread(making);
        maker.start();
        Waiting.whileTrue(() -> !making.isDone() && maker.getState() != Thread.State.WAITING);
        assertNull(tree.lookup(key));
        held.release();
        OpenFile made = making.get();
        assertEquals(next, made.id);
        assertSame(made, tree.open.get(next));
        tree.content().close(made);
        tree.content().close(first);
    }

    private static List<RuntimeException> refusals() {
        Path file = Path.of("data");
        return List.of(
                new StoreFullException("no room"),
                new StoreMemoryException("a value", 100, new OutOfMemoryError("none left")),
                new CorruptionException(file, 7, "this", "that"),
                new StoreIoException("reading", file, new IOException("the disk is gone")),
                new StoreReadOnlyException(new IOException("the disk was gone")),
                new StoreFailedException(new IOException("the disk is gone")),
                new IllegalStateException("more is pinned than may be"));
    }

    @Test
    void whateverTheStoreRefusesIsAnIOExceptionThatTellsWhyAndHoldsNothingBack() throws IOException {
        EntryKey key = EntryKey.of(FileTree.ROOT, "f");
        tree.content().close(tree.content().create(key, "/f"));
        for (RuntimeException refusal : refusals()) {
            List<Executable> ways = List.of(
                    () -> tree.store.read(view -> {
                        throw refusal;
                    }),
                    () -> tree.store.readAtOnce(view -> {
                        throw refusal;
                    }),
                    () -> tree.store.change(null, change -> {
                        change.delete(key);
                        throw refusal;
                    }));
            for (Executable way : ways) {
                IOException thrown = assertThrows(IOException.class, way);
                assertSame(refusal, thrown.getCause());
                assertEquals(refusal.getMessage(), thrown.getMessage());
            }
        }
        assertNothingIsHeldBack(key);
    }

    @Test
    void whatIsNoRefusalIsThrownAsItIsAndHoldsNothingBack() throws IOException {
        EntryKey key = EntryKey.of(FileTree.ROOT, "f");
        tree.content().close(tree.content().create(key, "/f"));
        for (Throwable each : List.of(new OutOfMemoryError("of the heap"), new NoSuchFileException("/f"))) {
            assertSame(
                    each,
                    assertThrows(
                            each.getClass(),
                            () -> tree.store.change(null, change -> {
                                change.delete(key);
                                throw FileTreeTest.<IOException>asIs(each);
                            })));
        }
        assertNothingIsHeldBack(key);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T asIs(Throwable e) throws T {
        throw (T) e;
    }

    @Test
    void aStoreThatIsClosedIsAFileSystemThatIs() {
        StoreClosedException closed = new StoreClosedException("the store");
        for (Executable way : List.<Executable>of(
                () -> tree.store.read(view -> {
                    throw closed;
                }),
                () -> tree.store.readAtOnce(view -> {
                    throw closed;
                }),
                () -> tree.store.change(null, change -> {
                    throw closed;
                }))) {
            assertSame(
                    closed, assertThrows(ClosedFileSystemException.class, way).getCause());
        }
    }

    /** No lock, and nothing of a change that was not made: whoever wants all changes to have ended need not wait. */
    private void assertNothingIsHeldBack(EntryKey key) throws IOException {
        assertTrue(tree.lookup(key).isFile());
        tree.close(); // waits for changes under way
        assertThrows(ClosedFileSystemException.class, () -> tree.remove(key, "/f"));
    }
}
