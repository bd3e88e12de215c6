package io.flexdb.internal.mem;

/** The buffers and counts that one thread needs to insert without garbage. Owned by one thread at a time. */
final class Inserter {
    final PayloadReader reader = new PayloadReader();

    /** Entries whose key was there already and that the table has not been told of. */
    int duplicates;

    /** Keys that it has deleted. */
    int deletes;
}
