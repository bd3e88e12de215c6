package io.flexdb.flextree;

import io.flexdb.testing.Effort;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** Millions of random operations against a sorted array of extents. */
class FlexTreeModelTest {
    private static final long SEED =
            Long.getLong("flexdb.test.seed", ThreadLocalRandom.current().nextLong());
    private static final FlexTreeOptions DEEP =
            FlexTreeOptions.defaults().withLeafCapacity(4).withInternalCapacity(4);

    private static void drive(FlexTreeOptions options, int extents, int maxLength, long addressLimit, int operations) {
        System.out.println("repeat with -Dflexdb.test.seed=" + SEED);
        TreeDriver driver = new TreeDriver(options, new SplittableRandom(SEED), extents, maxLength, addressLimit);
        driver.run(Effort.times(operations));
        driver.assertAllRetiredNodesAreReclaimed();
    }

    @Test
    void aDeepTreeIsWhatASortedArrayWouldBe() {
        drive(DEEP.withMaxExtentBytes(64), 400, 40, 1000, 600_000);
    }

    @Test
    void aDeepTreeWithoutMergingIsWhatASortedArrayWouldBe() {
        drive(DEEP.withMaxExtentBytes(64).withMergeExtents(false), 400, 40, 1000, 400_000);
    }

    @Test
    void aTinyTreeIsWhatASortedArrayWouldBe() {
        drive(DEEP.withMaxExtentBytes(8), 12, 10, 100, 600_000);
    }

    @Test
    void aWideTreeIsWhatASortedArrayWouldBe() {
        drive(FlexTreeOptions.defaults().withMaxExtentBytes(1000), 2000, 1000, 1L << 47, 200_000);
    }

    @Test
    void aTreeOfUnevenCapacitiesIsWhatASortedArrayWouldBe() {
        FlexTreeOptions options = FlexTreeOptions.defaults().withLeafCapacity(7).withInternalCapacity(5);
        drive(options, 1000, 100, FlexTree.HOLE, 200_000);
    }

    @Test
    void extentsOfTheGreatestLengthFillALeafWithoutOverflow() {
        drive(FlexTreeOptions.defaults(), 500, 2 * FlexTree.MAX_EXTENT_BYTES, FlexTree.HOLE, 100_000);
    }
}
