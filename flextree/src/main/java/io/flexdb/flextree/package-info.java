/**
 * The extent index of a flexible address space: from logical offsets to addresses, with insert-range and
 * collapse-range in O(log N).
 *
 * <p>{@link io.flexdb.flextree.FlexTree} is the writer's side, {@link io.flexdb.flextree.FlexTreeView} an immutable
 * version for readers on any thread, {@link io.flexdb.flextree.ExtentCursor} a walk over a view.
 */
@NullMarked
package io.flexdb.flextree;

import org.jspecify.annotations.NullMarked;
