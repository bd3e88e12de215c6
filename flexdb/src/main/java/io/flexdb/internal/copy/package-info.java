/** Copies of a whole store, made beside its readers and writers, and the directories that they go to. */
package io.flexdb.internal.copy;
