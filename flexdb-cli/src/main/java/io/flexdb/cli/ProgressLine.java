package io.flexdb.cli;

import io.flexdb.Progress;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/** Shows on one line of a terminal how far an operation is, and how long it will take. */
final class ProgressLine implements Progress, AutoCloseable {
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int WIDTH = 72;

    private final PrintStream target; // null to show nothing
    private final String name;
    private final LongFunction<String> amount;
    private final LongSupplier nanoTime;
    private final long beginNanos;
    private long shownNanos;
    private boolean isShown;

    /**
     * Makes one that has shown nothing yet.
     *
     * @param target where it is shown, or null
     * @param amount a number of what is counted, as text
     */
    ProgressLine(PrintStream target, String name, LongFunction<String> amount, LongSupplier nanoTime) {
        this.target = target;
        this.name = name;
        this.amount = amount;
        this.nanoTime = nanoTime;
        this.beginNanos = nanoTime.getAsLong();
        this.shownNanos = beginNanos;
    }

    @Override
    public void done(long bytes, long ofBytes) {
        if (target == null) {
            return;
        }
        long now = nanoTime.getAsLong();
        if (isShown && now - shownNanos < STEP_NANOS) {
            return;
        }
        shownNanos = now;
        isShown = true;
        show(line(bytes, ofBytes, now - beginNanos));
    }

    private void show(String line) {
        target.printf(Locale.ROOT, "\r%-" + WIDTH + "s", line);
        target.flush();
    }

    private String line(long bytes, long ofBytes, long nanos) {
        if (ofBytes <= 0) {
            return name + ": " + amount.apply(bytes);
        }
        String left = bytes == 0 ? "?" : time((long) ((double) nanos / bytes * (ofBytes - bytes)));
        return String.format(
                Locale.ROOT,
                "%s: %d %%, %s of %s, %s left",
                name,
                bytes * 100 / ofBytes,
                amount.apply(bytes),
                amount.apply(ofBytes),
                left);
    }

    private static String time(long nanos) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
        return String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }

    /** Clears the line. */
    @Override
    public void close() {
        if (isShown) {
            show("");
            target.print("\r");
            target.flush();
        }
    }
}
