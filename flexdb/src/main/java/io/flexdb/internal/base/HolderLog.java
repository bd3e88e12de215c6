package io.flexdb.internal.base;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Tells the log of holders of old versions. The log is foreign code, which holds nobody up. */
public final class HolderLog implements Consumer<List<String>> {
    private static final System.Logger LOG = System.getLogger("io.flexdb");

    private final Path directory;
    private final Scheduler scheduler;

    public HolderLog(Path directory, Scheduler scheduler) {
        this.directory = directory;
        this.scheduler = scheduler;
    }

    @Override
    public void accept(List<String> messages) {
        if (messages.isEmpty()) {
            return;
        }
        try {
            scheduler.runForeign(
                    "flexdb-holders",
                    new Runnable() { // no lambda: in a full heap it may fail to be made, for good
                        @Override
                        public void run() {
                            log(messages);
                        }
                    });
        } catch (OutOfMemoryError e) {
            // There is no memory, or no thread: the messages are dropped.
        }
    }

    private void log(List<String> messages) {
        try {
            for (String message : messages) {
                LOG.log(System.Logger.Level.WARNING, "The store in " + directory + ": " + message);
            }
        } catch (RuntimeException e) {
            // The log itself throws; there is nobody else to tell.
        }
    }
}
