/** Intervals in memory: their form, and the cache that keeps them. */
package io.flexdb.internal.cache;
