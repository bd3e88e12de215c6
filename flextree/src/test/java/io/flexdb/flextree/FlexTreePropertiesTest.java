package io.flexdb.flextree;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** Short sequences of operations, which jqwik shrinks to the shortest that fails. */
class FlexTreePropertiesTest {
    enum Kind {
        INSERT,
        INSERT_AFTER_LAST,
        HOLE,
        COLLAPSE,
        REMAP,
        PUBLISH
    }

    /** The place is a fraction of the size, in 1/1000. */
    record Operation(Kind kind, int place, int length, int address, int flags) {}

    @Provide
    Arbitrary<List<Operation>> operations() {
        return Combinators.combine(
                        Arbitraries.of(Kind.class),
                        Arbitraries.integers().between(0, 1000),
                        Arbitraries.integers().between(1, 40),
                        Arbitraries.integers().between(0, 100),
                        Arbitraries.integers().between(0, 1))
                .as(Operation::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(120);
    }

    @Property(shrinking = ShrinkingMode.BOUNDED)
    void anySequenceOfOperationsDoesWhatItDoesToASortedArray(
            @ForAll("operations") List<Operation> operations, @ForAll boolean merge) {
        FlexTreeOptions options = FlexTreeOptions.defaults()
                .withLeafCapacity(4)
                .withInternalCapacity(4)
                .withMaxExtentBytes(16)
                .withMergeExtents(merge);
        FlexTree tree = new FlexTree(options);
        ExtentModel model = new ExtentModel(16, merge);
        ExtentCursor cursor = new ExtentCursor();
        FlexTreeView view = tree.view();
        ExtentModel modelOfView = model.copy();
        long last = 0;
        for (Operation operation : operations) {
            long at = model.size * operation.place() / 1000;
            long length = Math.min(operation.length(), model.size - at);
            switch (operation.kind()) {
                case INSERT, INSERT_AFTER_LAST, HOLE -> {
                    long address = operation.kind() == Kind.INSERT ? operation.address() : last;
                    address = operation.kind() == Kind.HOLE ? FlexTree.HOLE : address;
                    tree.insertRange(at, operation.length(), address, operation.flags());
                    model.insert(at, operation.length(), address, operation.flags());
                    last = address == FlexTree.HOLE ? last : address + operation.length();
                }
                case COLLAPSE -> {
                    if (length > 0) {
                        tree.collapseRange(at, length);
                        model.collapse(at, length);
                    }
                }
                case REMAP -> {
                    if (length > 0) {
                        tree.remap(at, length, operation.address(), operation.flags(), null);
                        model.remap(at, length, operation.address(), operation.flags());
                    }
                }
                default -> {
                    tree.publish();
                    modelOfView.assertShownBy(view, cursor);
                    view.close();
                    view = tree.view();
                    modelOfView = model.copy();
                }
            }
            tree.checkInvariants();
        }
        model.assertShownBy(tree.current(), cursor);
        modelOfView.assertShownBy(view, cursor);
    }
}
