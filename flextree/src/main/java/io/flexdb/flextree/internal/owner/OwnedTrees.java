package io.flexdb.flextree.internal.owner;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.NodePool;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.tree.TreeInsides;
import io.flexdb.flextree.internal.tree.TreeWriter;
import java.lang.invoke.MethodHandles;

/** Makes trees that are part of a larger structure, and opens trees to the code that saves, loads and checks nodes. */
public final class OwnedTrees {
    private static final TreeInsides<FlexTreeOptions, FlexTree, FlexTreeView> INSIDES = insides();

    private OwnedTrees() {}

    @SuppressWarnings("unchecked") // the class of trees installs one with these types, and nobody else installs one
    private static TreeInsides<FlexTreeOptions, FlexTree, FlexTreeView> insides() {
        try {
            MethodHandles.lookup().ensureInitialized(FlexTree.class);
        } catch (IllegalAccessException e) {
            throw new ExceptionInInitializerError(e);
        }
        return (TreeInsides<FlexTreeOptions, FlexTree, FlexTreeView>) TreeInsides.installed();
    }

    /**
     * An empty tree inside a larger structure, in memory that the owner keeps account of. He publishes {@link
     * FlexTree#current()} as part of a version of his own, advances the epochs, and then calls {@link
     * FlexTree#reclaim()}.
     *
     * @param options the settings
     * @param epochs the owner's epochs
     * @param memory for the nodes
     */
    public static FlexTree create(FlexTreeOptions options, Epochs epochs, OffHeap memory) {
        return INSIDES.owned(options, epochs, memory);
    }

    /** The engine of a tree, which saves and loads its nodes. All edits are made. Writer only. */
    public static TreeWriter writer(FlexTree tree) {
        return INSIDES.writer(tree);
    }

    /** Where the nodes of a version are. */
    public static NodePool pool(FlexTreeView view) {
        return INSIDES.pool(view);
    }
}
