/** How a thread waits for another one: parked, whatever interrupts it, until that one wakes it. */
package io.flexdb.base.waiting;
