/** Waiting for another thread: parked, even when interrupted, until that one wakes the waiter. */
package io.flexdb.base.waiting;
