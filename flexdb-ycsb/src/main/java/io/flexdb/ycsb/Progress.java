package io.flexdb.ycsb;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Shows how far a phase is: on one line of a terminal again and again, elsewhere a line now and then. */
public final class Progress {
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int LINE_WIDTH = 72;

    private final PrintStream out;
    private final boolean terminal;
    private String name;
    private long total;
    private long lastShownNanos;

    /**
     * @param terminal whether one line can be written again and again
     */
    public Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Begins a phase. */
    public void begin(String phaseName, long operations) {
        name = phaseName;
        total = operations;
        lastShownNanos = 0;
    }

    /** Shows how far the phase is, if it is time to. */
    public void show(long done, long elapsedNanos) {
        if (terminal) {
            out.print("\r" + padded(line(done, elapsedNanos) + ", " + remaining(done, elapsedNanos) + " left"));
            out.flush();
        } else if (elapsedNanos - lastShownNanos >= QUIET_NANOS) {
            lastShownNanos = elapsedNanos;
            out.println(line(done, elapsedNanos) + ", " + remaining(done, elapsedNanos) + " left");
        }
    }

    /** Ends the phase. */
    public void end(long done, long elapsedNanos) {
        String text = line(done, elapsedNanos) + ", took " + format(elapsedNanos);
        out.println(terminal ? "\r" + padded(text) : text);
    }

    private String line(long done, long elapsedNanos) {
        double perSecond = done * 1e9 / Math.max(elapsedNanos, 1);
        return String.format(
                Locale.ROOT, "%-5s %3d %%  %,11.0f operations/s", name, done * 100 / Math.max(total, 1), perSecond);
    }

    private String remaining(long done, long elapsedNanos) {
        return done == 0 ? "?" : format((long) ((double) elapsedNanos / done * (total - done)));
    }

    private static String format(long nanos) {
        Duration time = Duration.ofNanos(nanos + 500_000_000L);
        return time.toHours() > 0
                ? String.format(Locale.ROOT, "%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart())
                : String.format(Locale.ROOT, "%d:%02d", time.toMinutes(), time.toSecondsPart());
    }

    private static String padded(String text) {
        return String.format(Locale.ROOT, "%-" + LINE_WIDTH + "s", text);
    }
}
