package io.flexdb.flextree.internal.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Damage is found by checksums; malice, which knows how to compute them, by what the images say. */
class HostileImagesTest {
    private static final long SEED =
            Long.getLong("flexdb.test.seed", ThreadLocalRandom.current().nextLong());
    private static final FlexTreeOptions SMALL =
            FlexTreeOptions.defaults().withLeafCapacity(5).withInternalCapacity(4);

    private record Parent(int slot, int index) {}

    private final ImageStore store = new ImageStore();
    private final Map<Integer, Parent> parents = new HashMap<>();
    private final SplittableRandom random = new SplittableRandom(SEED);
    private List<Integer> slots;
    private SavedRoot root;
    private String dump;

    @BeforeEach
    void saveATree() {
        System.out.println("repeat with -Dflexdb.test.seed=" + SEED);
        FlexTree tree = new FlexTree(SMALL);
        NodeImagesTest.change(tree, random, 400);
        root = store.save(tree);
        dump = tree.dump();
        slots = new ArrayList<>(store.slots());
        for (int slot : slots) {
            ByteBuffer image = image(slot);
            for (int i = 0; image.get(NodeImageFormat.LEVEL_OFFSET) > 0 && i < count(image); i++) {
                parents.put(image.getInt(slotAt(image, i)), new Parent(slot, i));
            }
        }
        assertEquals(slots.size() - 1, parents.size());
    }

    private ByteBuffer image(int slot) {
        return ByteBuffer.wrap(store.images.get(slot)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static int count(ByteBuffer image) {
        return image.getShort(NodeImageFormat.COUNT_OFFSET);
    }

    private static int slotAt(ByteBuffer image, int i) {
        return NodeImageFormat.HEADER_BYTES + 8 * count(image) + 4 * i;
    }

    private static int crcAt(ByteBuffer image, int i) {
        return NodeImageFormat.HEADER_BYTES + 12 * count(image) + 4 * i;
    }

    /** Makes the checksums fit again, from a changed image up to the root. */
    private SavedRoot fixChecksums(int slot) {
        ByteBuffer image = image(slot);
        int crc = NodeImageFormat.crc(image, ImageStore.SEED);
        image.putInt(NodeImageFormat.CRC_OFFSET, crc);
        Parent parent = parents.get(slot);
        if (parent == null) {
            return new SavedRoot(root.slot(), crc, root.level(), root.size(), root.extentCount());
        }
        ByteBuffer parentImage = image(parent.slot);
        parentImage.putInt(crcAt(parentImage, parent.index), crc);
        return fixChecksums(parent.slot);
    }

    private Map<Integer, byte[]> copyOfImages() {
        Map<Integer, byte[]> copy = new HashMap<>();
        store.images.forEach((slot, image) -> copy.put(slot, image.clone()));
        return copy;
    }

    private void assertBad(SavedRoot badRoot, String expected) {
        BadNodeException e = assertThrows(BadNodeException.class, () -> store.load(badRoot, SMALL));
        assertTrue(e.getMessage().contains(expected), e.getMessage());
        List<BadNodeException> listed = store.check(badRoot, SMALL);
        assertTrue(
                listed.stream().anyMatch(problem -> problem.getMessage().contains(expected)), () -> listed.toString());
    }

    /** A slot of that level. */
    private int anySlot(int level) {
        return slots.stream()
                .filter(slot -> image(slot).get(NodeImageFormat.LEVEL_OFFSET) == level)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anyFlippedBitIsFound() {
        for (int slot : slots) {
            byte[] image = store.images.get(slot);
            int bit = random.nextInt(8 * image.length);
            image[bit >> 3] ^= (byte) (1 << (bit & 7));
            assertThrows(BadNodeException.class, () -> store.load(root, SMALL));
            List<BadNodeException> listed = store.check(root, SMALL);
            assertEquals(1, listed.size(), () -> listed.toString());
            assertEquals(slot, listed.get(0).slot());
            image[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
        assertEquals(dump, store.load(root, SMALL).dump());
        assertEquals(List.of(), store.check(root, SMALL));
        assertEquals(store.slots(), store.read);
    }

    /** All that the nodes above lead to is listed; what is below a bad one can't be. */
    @Test
    void severalBadImagesAreAllListed() {
        for (int round = 0; round < Effort.times(100); round++) {
            Set<Integer> damaged = new TreeSet<>();
            Map<Integer, byte[]> good = copyOfImages();
            for (int i = 1 + random.nextInt(8); i > 0; i--) {
                damaged.add(slots.get(random.nextInt(slots.size())));
            }
            damaged.forEach(slot -> store.images.get(slot)[NodeImageFormat.HEADER_BYTES + 3] ^= 8);
            Set<Integer> reachable = new TreeSet<>();
            for (int slot : damaged) {
                Parent above = parents.get(slot);
                while (above != null && !damaged.contains(above.slot)) {
                    above = parents.get(above.slot);
                }
                if (above == null) {
                    reachable.add(slot);
                }
            }
            Set<Integer> listed = new TreeSet<>();
            for (BadNodeException problem : store.check(root, SMALL)) {
                assertTrue(listed.add(problem.slot()), () -> problem + " twice");
                boolean leaf = good.get(problem.slot())[NodeImageFormat.LEVEL_OFFSET] == 0;
                assertEquals(!leaf, problem.found().endsWith("; nothing below it can be reached"), problem.found());
            }
            assertEquals(reachable, listed);
            store.images.putAll(good);
        }
    }

    @Test
    void changesUnderRightChecksumsGiveAValidTreeOrAreFound() {
        Map<Integer, byte[]> good = copyOfImages();
        int loadedCount = 0;
        int rounds = Effort.times(3000);
        for (int round = 0; round < rounds; round++) {
            int slot = slots.get(random.nextInt(slots.size()));
            byte[] image = store.images.get(slot);
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                int at = random.nextInt(image.length);
                image[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) (image[at] + 1);
            }
            SavedRoot changed = fixChecksums(slot);
            List<BadNodeException> listed = store.check(changed, SMALL);
            try {
                store.load(changed, SMALL); // checks the invariants
                loadedCount++;
                assertEquals(List.of(), listed);
            } catch (BadNodeException expected) {
                assertTrue(expected.getMessage().startsWith("node in slot "), expected.getMessage());
                assertTrue(
                        listed.stream().anyMatch(problem -> problem.slot() == expected.slot()),
                        () -> expected + ", but " + listed);
            }
            good.forEach((key, bytes) -> store.images.put(key, bytes.clone()));
        }
        assertTrue(loadedCount > 0 && loadedCount < rounds, loadedCount + " of " + rounds + " could be loaded");
    }

    @Test
    void aSlotThatTwoParentsNameIsReadOnce() {
        ByteBuffer image = image(root.slot());
        image.putInt(slotAt(image, 1), image.getInt(slotAt(image, 0)));
        image.putInt(crcAt(image, 1), image.getInt(crcAt(image, 0)));
        image.putLong(
                NodeImageFormat.HEADER_BYTES + 8,
                image.getLong(NodeImageFormat.HEADER_BYTES + 8)); // starts stay as they are
        assertBad(fixChecksums(root.slot()), "a slot that no other node uses");
    }

    @Test
    void aNodeThatNamesItselfIsFound() {
        int slot = anySlot(1);
        ByteBuffer image = image(slot);
        image.putInt(slotAt(image, 0), slot);
        assertBad(fixChecksums(slot), "a slot that no other node uses");
    }

    @Test
    void slotsOutsideTheFileAreNotRead() {
        for (int wrong : new int[] {0, -1, Integer.MIN_VALUE, ImageStore.MAX_SLOT + 1}) {
            int slot = anySlot(1);
            ByteBuffer image = image(slot);
            image.putInt(slotAt(image, 0), wrong);
            assertBad(fixChecksums(slot), "a slot from 1 to 1000000, found " + wrong);
        }
    }

    @Test
    void eachFieldOfALeafIsChecked() {
        int slot = anySlot(0);
        byte[] good = store.images.get(slot).clone();
        record Change(int at, int bytes, long value, String expected) {}
        int words = NodeImageFormat.HEADER_BYTES + 4 * count(image(slot));
        for (Change change : List.of(
                new Change(NodeImageFormat.RESERVED_1_OFFSET, 1, 1, "zeros in reserved bytes"),
                new Change(NodeImageFormat.RESERVED_2_OFFSET, 4, 1, "zeros in reserved bytes"),
                new Change(NodeImageFormat.LEVEL_OFFSET, 1, 3, "level 0"),
                new Change(NodeImageFormat.HEADER_BYTES, 4, 0, "an end greater than 0"),
                new Change(NodeImageFormat.HEADER_BYTES, 4, -5, "an end greater than 0"),
                new Change(NodeImageFormat.HEADER_BYTES, 4, (1 << 24) + 1, "bytes at most"),
                new Change(words, 8, FlexTree.HOLE - 1, "ends below the largest address"))) {
            ByteBuffer image = image(slot);
            switch (change.bytes) {
                case 1 -> image.put(change.at, (byte) change.value);
                case 4 -> image.putInt(change.at, (int) change.value);
                default -> {
                    image.putInt(NodeImageFormat.HEADER_BYTES, 2); // an extent of two bytes: one too many
                    image.putLong(change.at, change.value);
                }
            }
            assertBad(fixChecksums(slot), change.expected);
            store.images.put(slot, good.clone());
        }
    }

    @Test
    void countsBeyondTheCapacityAreRefused() {
        int slot = anySlot(0);
        for (int count : new int[] {0, 6, 84, 85, 0xffff}) {
            ByteBuffer image = image(slot);
            image.putShort(NodeImageFormat.COUNT_OFFSET, (short) count);
            assertBad(fixChecksums(slot), "1 to 5 entries, found " + count);
        }
    }

    @Test
    void imagesThatAreTooShortAreRefused() {
        int slot = anySlot(0);
        byte[] image = store.images.get(slot);
        store.images.put(slot, java.util.Arrays.copyOf(image, image.length - 1));
        assertBad(root, " bytes");
        store.images.put(slot, new byte[5]);
        assertBad(root, "a header");
        store.images.remove(slot);
        assertBad(root, "a header");
    }

    @Test
    void childrenMustStartWhereTheOnesBeforeThemEnd() {
        ByteBuffer image = image(root.slot());
        image.putLong(NodeImageFormat.HEADER_BYTES, 1);
        assertBad(fixChecksums(root.slot()), "child 0 to start at 0");
        image.putLong(NodeImageFormat.HEADER_BYTES, 0);
        image.putLong(NodeImageFormat.HEADER_BYTES + 8, image.getLong(NodeImageFormat.HEADER_BYTES + 8) - 1);
        assertBad(fixChecksums(root.slot()), "child 1 to start at");
    }

    @Test
    void aRootThatSaysSomethingElseIsRefused() {
        assertBad(
                new SavedRoot(root.slot(), root.crc() + 1, root.level(), root.size(), root.extentCount()), "checksum");
        assertBad(new SavedRoot(root.slot(), root.crc(), root.level() - 1, root.size(), root.extentCount()), "level");
        assertBad(new SavedRoot(root.slot(), root.crc(), 48, root.size(), root.extentCount()), "a level from 0 to 47");
        assertBad(new SavedRoot(root.slot(), root.crc(), -1, root.size(), root.extentCount()), "a level from 0 to 47");
        assertBad(new SavedRoot(root.slot(), root.crc(), root.level(), root.size() + 1, root.extentCount()), "size");
        assertBad(new SavedRoot(root.slot(), root.crc(), root.level(), root.size(), 1), "1 extents");
        assertBad(new SavedRoot(-1, root.crc(), root.level(), root.size(), root.extentCount()), "a slot from 1");
    }

    @Test
    void imagesOfAnotherStoreAreRefused() {
        FlexTree tree = new FlexTree(SMALL);
        assertThrows(
                BadNodeException.class,
                () -> NodeImages.load(tree, root, ImageStore.SEED + 1, ImageStore.MAX_SLOT, store, null));
    }

    @Test
    void aRootOfOneChildIsRefused() {
        int slot = anySlot(1);
        while (count(image(slot)) != 1) {
            ByteBuffer image = image(slot);
            ByteBuffer single = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
            single.put(NodeImageFormat.LEVEL_OFFSET, (byte) 1).putShort(NodeImageFormat.COUNT_OFFSET, (short) 1);
            single.putInt(24, image.getInt(slotAt(image, 0))).putInt(28, image.getInt(crcAt(image, 0)));
            store.images.put(slot, single.array());
        }
        int crc = NodeImageFormat.crc(image(slot), ImageStore.SEED);
        image(slot).putInt(NodeImageFormat.CRC_OFFSET, crc);
        assertBad(new SavedRoot(slot, crc, 1, 1, 1), "two children");
    }
}
