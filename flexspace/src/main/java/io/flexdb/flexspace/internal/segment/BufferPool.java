package io.flexdb.flexspace.internal.segment;

import io.flexdb.base.epoch.Epochs;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Off-heap memory for segments, so many buffers and no more, each used again when no reader can copy from it. Writer
 * only.
 */
public final class BufferPool {
    /*
     * The problem: whoever fills a buffer has readers who copy from it; and memory that is asked for in the middle of a
     * change may not be there.
     * The choice: as many buffers as the writer can't do without are made before the first change, and others, up to a
     * limit, as they are needed: what can't be had lowers the limit. Beyond it the writer waits.
     * The cost: a read that takes long, because its disk does, may hold the writer up.
     *
     * P1  Readers find a buffer in a segment only, and copy from it inside one short read. A pinned version is no
     *     reason to keep a buffer: what it needs is in the file once the segment does not refer to the buffer any more.
     * P2  There are never more buffers than the limit. The writer holds one fewer at most when it asks for one, so what
     *     it waits for ends: sealing, and short reads, none of which waits for the writer.
     */
    private record Retired(ByteBuffer buffer, int phase) {}

    private final int bufferBytes;
    private final Epochs epochs;
    private final IntFunction<ByteBuffer> memory;
    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
    private final ArrayDeque<Retired> retired = new ArrayDeque<>(); // in the order of their phases
    private int most;
    private int wanted; // the limit, if there was memory
    private volatile int made; // only the writer writes it
    private long waits;

    /**
     * @param most how many buffers there may be
     * @param memory gives memory of so many bytes
     */
    BufferPool(int bufferBytes, int most, Epochs epochs, IntFunction<ByteBuffer> memory) {
        this.bufferBytes = bufferBytes;
        this.most = most;
        this.wanted = most;
        this.epochs = epochs;
        this.memory = memory;
    }

    /**
     * Says how many buffers, of one segment each, there may be, and makes those that the writer can't do without.
     *
     * @param least one, for an open segment; or none if each change {@linkplain #ensureOne sees to it}
     * @throws OutOfMemoryError if not even these are to be had
     */
    public void reserve(int least, int most) {
        this.most = Math.max(least, most);
        this.wanted = this.most;
        while (made < least) {
            free.add(make());
        }
    }

    /**
     * Sees that there is one at least.
     *
     * @throws OutOfMemoryError if there is no memory for it
     */
    public void ensureOne() {
        if (made == 0) {
            free.add(make());
        }
    }

    /** Hands over those that nobody uses. */
    void giveBackFree(Consumer<ByteBuffer> taker) {
        reclaim();
        for (ByteBuffer buffer = free.poll(); buffer != null; buffer = free.poll()) {
            made--;
            taker.accept(buffer);
            most = wanted; // there may be memory when the next ones are needed
        }
    }

    /** Takes a buffer, of any content, or returns null if those there may be are all in use. */
    ByteBuffer poll() {
        reclaim();
        ByteBuffer buffer = free.poll(); // the one used last, of which the processor's caches may hold something
        return buffer == null && made < most ? makeIfThereIsMemory() : buffer;
    }

    private ByteBuffer makeIfThereIsMemory() {
        try {
            return make();
        } catch (OutOfMemoryError e) {
            if (made == 0) {
                throw e;
            }
            most = made; // to look for more each time would take longer than to wait
            return null;
        }
    }

    private ByteBuffer make() {
        ByteBuffer buffer = memory.apply(bufferBytes).order(ByteOrder.LITTLE_ENDIAN);
        made++;
        return buffer;
    }

    /** Takes a buffer back that readers can't find any more. */
    void retire(ByteBuffer buffer) {
        retired.add(new Retired(buffer, epochs.phase()));
    }

    /** Whether there are buffers that only readers hold. */
    boolean areRetired() {
        return !retired.isEmpty();
    }

    /** Frees what no reader can copy from any more. */
    void reclaim() {
        while (!retired.isEmpty() && epochs.shortReadsEndedSince(retired.peek().phase)) {
            free.push(retired.poll().buffer);
        }
    }

    /** Waits until one of the retired buffers is free. Not inside a short read, which would wait for itself. */
    void awaitReaders() {
        boolean waited = epochs.awaitShortReadsEndedSince(retired.peek().phase);
        waits += waited ? 1 : 0;
        reclaim();
    }

    /** How often the writer had to wait for readers. */
    public long waits() {
        return waits;
    }

    /** How many buffers are in use, or were until readers are gone. */
    int inUse() {
        return made - free.size();
    }

    /** Off-heap bytes of all buffers, those that are free included. */
    public long memoryBytes() {
        return (long) made * bufferBytes;
    }

    /** How many of them nobody uses. */
    public long freeBytes() {
        return (long) free.size() * bufferBytes;
    }
}
