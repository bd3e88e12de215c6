package io.flexdb.files;

import io.flexdb.files.PathWalk.Place;
import io.flexdb.files.internal.Entry;
import io.flexdb.files.internal.EntryKey;
import io.flexdb.files.internal.FileCopy;
import io.flexdb.files.internal.FileTree;
import io.flexdb.files.internal.Times;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;

/** Copies or moves one file, directory or link, with what the options say; to another file system of the same kind, too. */
final class CopyOrMove {
    private final FlexPath source;
    private final FlexPath target;
    private final FileOperations from;
    private final FileOperations to;
    private boolean replace;
    private boolean withTimes;
    private boolean atomic;
    private boolean follow = true;

    CopyOrMove(FlexPath source, FlexPath target, CopyOption... options) {
        this.source = source;
        this.target = target;
        this.from = source.fileSystem().operations();
        this.to = target.fileSystem().operations();
        for (CopyOption option : options) {
            Objects.requireNonNull(option, "option");
            if (option == StandardCopyOption.REPLACE_EXISTING) {
                replace = true;
            } else if (option == StandardCopyOption.COPY_ATTRIBUTES) {
                withTimes = true;
            } else if (option == StandardCopyOption.ATOMIC_MOVE) {
                atomic = true;
            } else if (option == LinkOption.NOFOLLOW_LINKS) {
                follow = false;
            } else {
                throw new UnsupportedOperationException("there is no such option: " + option);
            }
        }
    }

    private boolean isWithin() {
        return source.fileSystem() == target.fileSystem();
    }

    /** Whether both paths lead to one file already. */
    private boolean isDone(Place found, Place goal) {
        return isWithin()
                && goal.entry() != null
                && goal.entry().id() == found.entry().id();
    }

    void copy() throws IOException {
        if (atomic) {
            throw new UnsupportedOperationException("ATOMIC_MOVE is no option of a copy");
        }
        Place found = from.find(source, follow);
        Entry entry = found.requireEntry();
        Place goal = to.find(target, false);
        if (isDone(found, goal)) {
            return;
        }
        EntryKey key = FileOperations.target(goal, replace);
        FileTree tree = to.tree();
        if (entry.isDirectory()) {
            tree.replaceByDirectory(key, replace, target.toString());
            copyTimes(found);
        } else if (isWithin()) {
            new FileCopy(tree, found.key(), key, replace, withTimes).run(source.toString(), target.toString());
        } else {
            copyAcross(found);
        }
    }

    private void copyTimes(Place found) throws IOException {
        if (withTimes) {
            Times times = from.attributes(source, found.entry()).times();
            to.setTimes(target, false, old -> times);
        }
    }

    private void copyAcross(Place found) throws IOException {
        if (replace && to.find(target, false).entry() != null) {
            to.delete(target);
        }
        if (found.entry().isLink()) {
            to.createLink(target, target.fileSystem().getPath(found.entry().target()));
        } else {
            OpenFlags make = OpenFlags.of(Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
            try (InputStream in = Channels.newInputStream(from.open(source, OpenFlags.of(Set.of())));
                    OutputStream out = Channels.newOutputStream(to.open(target, make))) {
                in.transferTo(out);
            }
        }
        copyTimes(found);
    }

    void move() throws IOException {
        if (withTimes) {
            throw new UnsupportedOperationException("COPY_ATTRIBUTES is no option of a move");
        }
        Place found = from.find(source, false);
        Entry entry = found.requireEntry();
        Place goal = to.find(target, false);
        if (isDone(found, goal)) {
            return;
        }
        EntryKey key = FileOperations.target(goal, replace || atomic);
        found.requireKey();
        if (isWithin()) {
            requireSameKind(entry, goal);
            to.tree().move(found.key(), key, replace || atomic, source.toString(), target.toString());
        } else {
            moveAcross(found);
        }
    }

    /** An atomic move is that of the operating system, which replaces files by files and directories by directories. */
    private void requireSameKind(Entry entry, Place goal) throws FileSystemException {
        if (atomic && goal.entry() != null && goal.entry().isDirectory() != entry.isDirectory()) {
            throw new FileSystemException(
                    source.toString(), target.toString(), entry.isDirectory() ? "Not a directory" : "Is a directory");
        }
    }

    private void moveAcross(Place found) throws IOException {
        if (atomic) {
            throw new AtomicMoveNotSupportedException(
                    source.toString(), target.toString(), "the paths are of two file systems");
        }
        follow = false;
        withTimes = true;
        if (found.entry().isDirectory()
                && !from.tree().list(found.entry().id(), null, 1).isEmpty()) {
            throw new DirectoryNotEmptyException(source.toString());
        }
        copy();
        from.delete(source);
    }
}
