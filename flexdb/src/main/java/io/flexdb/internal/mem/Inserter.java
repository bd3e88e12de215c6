package io.flexdb.internal.mem;

/** What one thread needs to insert, so that it makes no garbage. Owned by one thread at a time. */
final class Inserter {
    final PayloadReader reader = new PayloadReader();

    /** Entries whose key was there already and that the table has not been told of. */
    int duplicates;

    /** Keys that it has deleted. */
    int deletes;
}
