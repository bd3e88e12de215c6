/** Values that operands are merged into. Above {@code memtable}. */
package io.flexdb.internal.merge;
