package io.flexdb.flextree.internal.image;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Slots in memory, which notes what is written, retired and read. */
final class ImageStore implements NodeSink, NodeSource {
    static final long SEED = 0x1234_5678_9abc_def0L;
    static final int MAX_SLOT = 1_000_000;

    final TreeMap<Integer, byte[]> images = new TreeMap<>();
    final Set<Integer> live = new HashSet<>();
    final Set<Integer> read = new HashSet<>();
    final Set<Integer> prefetched = new HashSet<>(); // before it was read
    int writes;
    private int lastSlot;

    @Override
    public int write(ByteBuffer image, int level) {
        byte[] bytes = new byte[image.remaining()];
        image.get(bytes);
        writes++;
        lastSlot += 3;
        images.put(lastSlot, bytes);
        live.add(lastSlot);
        return lastSlot;
    }

    @Override
    public void superseded(int slot, int level) {
        retire(slot, level);
    }

    void retire(int slot, int level) {
        assertTrue(live.remove(slot), "retired twice, or never written: " + slot);
        assertTrue(images.get(slot)[NodeImageFormat.LEVEL_OFFSET] == level);
    }

    @Override
    public void read(int slot, int level, ByteBuffer destination) {
        read.add(slot);
        byte[] bytes = images.get(slot);
        if (bytes != null) {
            destination.put(bytes, 0, Math.min(bytes.length, destination.remaining()));
        }
    }

    @Override
    public void prefetch(int slot, int level) {
        if (!read.contains(slot)) {
            prefetched.add(slot);
        }
    }

    SavedRoot save(FlexTree tree) {
        writes = 0;
        return NodeImages.save(tree, tree.publish(), SEED, this);
    }

    FlexTree load(SavedRoot root, FlexTreeOptions options) {
        read.clear();
        FlexTree tree = new FlexTree(options);
        NodeImages.load(tree, root, SEED, MAX_SLOT, this, null);
        tree.checkInvariants();
        return tree;
    }

    /** What a check lists. */
    List<BadNodeException> check(SavedRoot root, FlexTreeOptions options) {
        read.clear();
        prefetched.clear();
        List<BadNodeException> problems = new ArrayList<>();
        NodeImages.check(options, root, SEED, MAX_SLOT, this, problems::add);
        return problems;
    }

    Set<Integer> slots() {
        return new TreeSet<>(images.keySet());
    }
}
