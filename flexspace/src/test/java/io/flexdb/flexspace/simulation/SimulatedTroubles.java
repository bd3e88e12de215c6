package io.flexdb.flexspace.simulation;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Counts operations and knows which of them fail, cut the power or are left out. Guarded by the file system. */
final class SimulatedTroubles {
    private static final StackWalker STACK = StackWalker.getInstance();
    private static final String PACKAGE = SimulatedVfs.class.getPackageName();

    private record Armed(long operation, Fault fault, boolean sticky) {}

    private static final class Ignored {
        final Predicate<String> name;
        final int which;
        int seen;

        Ignored(Predicate<String> name, int which) {
            this.name = name;
            this.which = which;
        }
    }

    final SimulatedBackground background = new SimulatedBackground();
    long operations;
    long reads;
    long crashAt = Long.MAX_VALUE;
    boolean dead;
    long faultsFired;
    long forcesIgnored;
    private final List<Armed> faults = new ArrayList<>();
    private final List<Armed> readFaults = new ArrayList<>();
    private final List<Ignored> ignored = new ArrayList<>();
    private final Map<String, Integer> forces = new HashMap<>();
    private final Map<String, Long> written = new HashMap<>();
    private int siteDepth;
    private final Set<String> sites = new LinkedHashSet<>();
    private final Set<String> ignoredSites = new HashSet<>();
    List<String> trace;

    void arm(long operation, Fault fault, boolean sticky) {
        faults.add(new Armed(operation, fault, sticky));
    }

    void armRead(long read, boolean sticky) {
        readFaults.add(new Armed(read, Fault.EIO, sticky));
    }

    void disarm() {
        faults.clear();
        readFaults.clear();
    }

    /** Throws if there is no power. */
    void live() {
        if (dead) {
            throw new SimulatedCrash(operations);
        }
    }

    /** Counts a read, which may fail. */
    void read() throws IOException {
        live();
        reads++;
        for (int i = 0; i < readFaults.size(); i++) {
            Armed armed = readFaults.get(i);
            if (armed.operation <= reads) {
                if (!armed.sticky) {
                    readFaults.remove(i);
                }
                faultsFired++;
                throw failure(Fault.EIO);
            }
        }
    }

    /** Counts an operation, and throws if it fails without effect. The fault returned, if any, is for the caller. */
    Fault operation(Operation operation, String detail) throws IOException {
        live();
        background.operation();
        live(); // what was done in the background may have met the end
        operations++;
        if (operations >= crashAt) {
            dead = true;
            throw new SimulatedCrash(operations);
        }
        if (trace != null) {
            trace.add(operation + " " + detail);
        }
        for (int i = 0; i < faults.size(); i++) {
            Armed armed = faults.get(i);
            if (armed.operation <= operations && armed.fault.appliesTo(operation)) {
                if (!armed.sticky) {
                    faults.remove(i);
                }
                faultsFired++;
                if (operation != Operation.FORCE && armed.fault != Fault.SHORT_WRITE) {
                    throw failure(armed.fault);
                }
                return armed.fault;
            }
        }
        return null;
    }

    static IOException failure(Fault fault) {
        return new IOException(fault == Fault.ENOSPC ? "No space left on device" : "Input/output error");
    }

    void written(String file, int bytes) {
        written.merge(file, (long) bytes, Long::sum);
    }

    long written(Predicate<String> file) {
        return written.entrySet().stream()
                .filter(entry -> file.test(entry.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    void ignore(Predicate<String> name, int which) {
        ignored.add(new Ignored(name, which));
    }

    void recordSites(int depth) {
        siteDepth = depth;
    }

    void ignoreSite(String site) {
        ignoredSites.add(site);
    }

    Set<String> sites() {
        return new LinkedHashSet<>(sites);
    }

    int forces(Predicate<String> name) {
        return forces.entrySet().stream()
                .filter(entry -> name.test(entry.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    /** Notes a force of a file or directory that would succeed, and returns whether it is to be left out. */
    boolean leavesOut(String name) {
        forces.merge(name, 1, Integer::sum);
        boolean leaveOut = false;
        for (Ignored rule : ignored) {
            if (rule.name.test(name)) {
                rule.seen++;
                leaveOut |= rule.which == SimulatedVfs.ALL || rule.which == rule.seen;
            }
        }
        if (siteDepth > 0) {
            String site = site();
            sites.add(site);
            leaveOut |= ignoredSites.contains(site);
        }
        if (leaveOut) {
            forcesIgnored++;
            if (trace != null) {
                trace.set(trace.size() - 1, trace.get(trace.size() - 1) + " (ignored)");
            }
        }
        return leaveOut;
    }

    private String site() {
        return STACK.walk(frames -> frames.filter(frame -> !isSimulation(frame.getClassName()))
                .limit(siteDepth)
                .map(frame -> frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                .collect(Collectors.joining(" < ")));
    }

    private static boolean isSimulation(String className) {
        return className.startsWith(PACKAGE + ".Simulated")
                || className.startsWith(PACKAGE + ".Forwarding")
                || className.equals(ForwardingVfs.class.getName());
    }
}
