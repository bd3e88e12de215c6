package io.flexdb.flexspace.simulation;

import io.flexdb.flexspace.internal.vfs.IoFailures;
import io.flexdb.flexspace.internal.vfs.MappedFile;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.StoreClosedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Path;

/** An open file of a simulated file system, whose lock guards it. */
final class SimulatedFile implements VfsFile {
    private final SimulatedVfs vfs;
    private final SimulatedNames.Node node;
    private final boolean writable;
    private boolean closed;

    SimulatedFile(SimulatedVfs vfs, SimulatedNames.Node node, boolean writable) {
        this.vfs = vfs;
        this.node = node;
        this.writable = writable;
    }

    @Override
    public Path path() {
        synchronized (vfs) {
            return node.path;
        }
    }

    @Override
    public int read(ByteBuffer dst, long position) {
        synchronized (vfs) {
            requireOpen();
            requirePosition(position);
            try {
                vfs.troubles.read();
            } catch (IOException e) {
                throw IoFailures.wrap("read", node.path, e);
            }
            return node.content.read(dst, position);
        }
    }

    @Override
    public void write(ByteBuffer src, long position) {
        synchronized (vfs) {
            requireWritable();
            requirePosition(position);
            int length = src.remaining();
            try {
                Fault fault = vfs.troubles.operation(Operation.WRITE, node.path + " " + position + "+" + length);
                if (fault != null) {
                    writePart(src, length / 2, position);
                    throw SimulatedTroubles.failure(fault);
                }
                vfs.requireCapacity(position + length - node.content.size());
                writePart(src, length, position);
            } catch (IOException e) {
                throw IoFailures.wrap("write", node.path, e);
            }
        }
    }

    private void writePart(ByteBuffer src, int length, long position) {
        node.content.write(src, length, position);
        vfs.troubles.written(node.path.toString(), length);
    }

    @Override
    public boolean allocateUnwritten(long position, long bytes) {
        synchronized (vfs) {
            requireWritable();
            requirePosition(position);
            if (!vfs.allocatesUnwritten()) {
                return false;
            }
            try {
                vfs.troubles.operation(Operation.ALLOCATE, node.path + " " + position + "+" + bytes);
                vfs.requireCapacity(position + bytes - node.content.size());
                node.content.extend(position + bytes);
                return true;
            } catch (IOException e) {
                throw IoFailures.wrap("allocation", node.path, e);
            }
        }
    }

    @Override
    public int linkCount() {
        synchronized (vfs) {
            requireOpen();
            return vfs.linkCount(node.content);
        }
    }

    @Override
    public long size() {
        synchronized (vfs) {
            requireOpen();
            return node.content.size();
        }
    }

    @Override
    public void truncate(long bytes) {
        synchronized (vfs) {
            requireWritable();
            requirePosition(bytes);
            try {
                vfs.troubles.operation(Operation.TRUNCATE, node.path + " " + bytes);
                node.content.truncate(bytes);
            } catch (IOException e) {
                throw IoFailures.wrap("truncate", node.path, e);
            }
        }
    }

    @Override
    public void force() {
        synchronized (vfs) {
            requireWritable();
            try {
                Fault fault = vfs.troubles.operation(Operation.FORCE, node.path.toString());
                if (fault != null) {
                    node.content.failForce();
                    throw SimulatedTroubles.failure(fault);
                }
                if (!vfs.troubles.leavesOut(node.path.toString())) {
                    node.content.force();
                }
            } catch (IOException e) {
                throw IoFailures.wrap("force", node.path, e);
            }
        }
    }

    @Override
    public MappedFile map(long bytes) {
        synchronized (vfs) {
            requireWritable();
            if (bytes < 1 || bytes > Math.min(node.content.size(), Integer.MAX_VALUE)) {
                throw new IllegalArgumentException("bytes must be from 1 to the size of the file: " + bytes);
            }
            return null;
        }
    }

    @Override
    public void close() {
        synchronized (vfs) {
            if (!closed) {
                closed = true;
                node.openings--;
            }
        }
    }

    private void requireOpen() {
        vfs.troubles.live();
        if (closed) {
            throw new StoreClosedException("file " + node.path);
        }
    }

    private void requireWritable() {
        requireOpen();
        if (!writable) {
            throw new NonWritableChannelException();
        }
    }

    private static void requirePosition(long position) {
        if (position < 0) {
            throw new IllegalArgumentException("negative position: " + position);
        }
    }

    @Override
    public String toString() {
        return "SimulatedFile[" + node.path + "]";
    }
}
