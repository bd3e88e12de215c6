package io.flexdb.cli;

import java.io.PrintStream;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Warnings that the library logs, as lines on standard error without stack traces. */
final class Warnings extends Handler {
    private static final Logger LOGGER = Logger.getLogger("io.flexdb"); // or the garbage collector takes its settings

    private final PrintStream target;
    private final SimpleFormatter text = new SimpleFormatter();

    private Warnings(PrintStream target) {
        this.target = target;
    }

    /** Sends the warnings of all stores to a stream. */
    static void to(PrintStream target) {
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(new Warnings(target));
    }

    @Override
    public void publish(LogRecord entry) {
        if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
            target.println("flexdb: warning: " + text.formatMessage(entry));
        }
    }

    @Override
    public void flush() {
        target.flush();
    }

    @Override
    public void close() {
        target.flush();
    }
}
