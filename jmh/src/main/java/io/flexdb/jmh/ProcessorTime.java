package io.flexdb.jmh;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What this process has used of processors. */
public final class ProcessorTime {
    private ProcessorTime() {}

    /** Nanoseconds of all its threads, those of the JVM included, as the operating system counts them; 0 where it doesn't. */
    public static long nanosNow() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }
}
