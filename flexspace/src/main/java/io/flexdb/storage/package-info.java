/**
 * The exceptions of a store. Every failure of a store is a {@link io.flexdb.storage.StorageException}, unchecked, and
 * says what was being done, where, what was expected and found, and what to do about it. A bad argument is an {@link
 * java.lang.IllegalArgumentException} instead.
 */
@NullMarked
package io.flexdb.storage;

import org.jspecify.annotations.NullMarked;
