package io.flexdb.flextree.internal.tree;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.NodePool;
import io.flexdb.base.memory.OffHeap;

/**
 * The way to what a tree hides from users. The tree's class installs the only one when it is initialized. Its types
 * lie above this package, which therefore does not name them.
 *
 * @param <O> the settings of a tree
 * @param <T> a tree
 * @param <V> a version of a tree
 */
public abstract class TreeInsides<O, T, V> {
    private static TreeInsides<?, ?, ?> installed;

    /** Installs the only one. */
    public static void install(TreeInsides<?, ?, ?> insides) {
        installed = insides;
    }

    /** The one that the tree's class installed, or null before that class is initialized. */
    public static TreeInsides<?, ?, ?> installed() {
        return installed;
    }

    /** An empty tree that its owner publishes. */
    public abstract T owned(O options, Epochs epochs, OffHeap memory);

    /** The engine of a tree, with all edits made. */
    public abstract TreeWriter writer(T tree);

    /** Where the nodes of a version are. */
    public abstract NodePool pool(V view);
}
