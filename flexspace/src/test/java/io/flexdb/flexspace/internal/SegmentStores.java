package io.flexdb.flexspace.internal;

/** What is done to a segment store without a log. */
final class SegmentStores {
    private SegmentStores() {}

    /** Makes every byte appended so far durable. */
    static void force(SegmentStore store) {
        if (store.writeAppended()) {
            store.file().force();
        }
    }
}
