package io.flexdb.storage;

/**
 * Is told when the health of a store changes: once for each change, in order.
 *
 * <p>It is called by a thread of the store that does nothing else and holds no lock, so it may use the store, and close
 * it. It should not take long, since the next change waits, and {@code close} does for a second. The store logs an
 * exception that it throws.
 */
@FunctionalInterface
public interface HealthListener {
    /**
     * The health has changed. By now it may have changed again, which will be told by the next call.
     *
     * @param health what it has changed to
     */
    void healthChanged(StoreHealth health);
}
