/**
 * Epochs and queues of retired memory: they tell which readers may still read it, and when it can be freed. Not part of
 * the public surface.
 */
package io.flexdb.base.epoch;
