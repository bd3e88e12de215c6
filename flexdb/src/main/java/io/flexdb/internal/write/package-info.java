/**
 * Writes from the caller to the FlexSpace: the write path and its stalls, the commit, defragmentation and other
 * upkeep, bulk loads, and the index that is refined after opening. Above {@code read}.
 */
package io.flexdb.internal.write;
