/**
 * Transactions and keyspaces: what a transaction has read and written, and which keyspaces there are. Above {@code
 * write}.
 */
package io.flexdb.internal.txn;
