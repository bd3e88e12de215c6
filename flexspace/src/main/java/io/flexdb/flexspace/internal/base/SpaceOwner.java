package io.flexdb.flexspace.internal.base;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;

/**
 * The owner of a space, a store for example: what the space has in common with it. Its parts are thread-safe.
 *
 * @param epochs that its readers are in
 * @param health which says what calls are served
 * @param memory of all that is off-heap
 */
public record SpaceOwner(Epochs epochs, Health health, OffHeap memory) {}
