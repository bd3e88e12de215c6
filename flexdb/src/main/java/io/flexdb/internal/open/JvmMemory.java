package io.flexdb.internal.open;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import io.flexdb.base.memory.DirectMemory;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * The memory that this process may take, as far as the JVM tells.
 *
 * @param heapBytes the largest heap
 * @param directBytes the limit of direct buffers
 * @param machineBytes the memory of the machine or the container; {@link Long#MAX_VALUE} if that is not known
 */
public record JvmMemory(long heapBytes, long directBytes, long machineBytes) {
    /** Asks the JVM. */
    public static JvmMemory ofThisProcess() {
        long heap = Runtime.getRuntime().maxMemory();
        return new JvmMemory(heap, directLimit(heap), machineLimit());
    }

    /** The JVM's own limit, which is the heap's if none is set. */
    private static long directLimit(long heapBytes) {
        try {
            HotSpotDiagnosticMXBean hotSpot = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            long set = hotSpot == null
                    ? 0
                    : Long.parseLong(hotSpot.getVMOption("MaxDirectMemorySize").getValue());
            return set > 0 ? set : heapBytes;
        } catch (LinkageError | RuntimeException e) {
            return heapBytes; // a JVM without that module, or another one
        }
    }

    private static long machineLimit() {
        try {
            OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            long bytes = system == null ? 0 : system.getTotalMemorySize(); // a container's limit, if there is one
            return bytes > 0 ? bytes : Long.MAX_VALUE;
        } catch (LinkageError | RuntimeException e) {
            return Long.MAX_VALUE;
        }
    }

    /** How many bytes more direct buffers may take now, less than 0 if they have too many. Any thread; cheap. */
    public long directRoom() {
        return Pool.DIRECT == null ? Long.MAX_VALUE : directBytes - Pool.DIRECT.used() - DirectMemory.mappedBytes();
    }

    /** The JVM's count of direct buffers, behind an interface of ours: its module may be missing. */
    private interface Pool {
        Pool DIRECT = find();

        long used();

        private static Pool find() {
            try {
                for (BufferPoolMXBean bean : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
                    if (bean.getName().equals("direct")) {
                        return bean::getMemoryUsed;
                    }
                }
                return null;
            } catch (LinkageError | RuntimeException e) {
                return null;
            }
        }
    }
}
