/** Backups of a store in a directory of their own, which share what did not change between them. */
package io.flexdb.internal.backup;
