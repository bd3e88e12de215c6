package io.flexdb.flexspace.internal.segment;

/** What is done to a segment store without a log. */
public final class SegmentStores {
    private SegmentStores() {}

    /** Makes every byte appended so far durable. */
    public static void force(SegmentStore store) {
        if (store.writeAppended()) {
            store.file().force();
        }
    }
}
