/**
 * A store as a whole: its files, how it is opened, followed by readers of other processes, checked and copied, and
 * its share of the JVM's memory. Above {@code txn}.
 */
package io.flexdb.internal.open;
