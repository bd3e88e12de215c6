/**
 * Nodes of a FlexTree, and what reads, changes and checks them. Not part of the public surface.
 */
package io.flexdb.flextree.internal.tree;
