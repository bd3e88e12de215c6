package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.open.JvmMemory;
import io.flexdb.internal.open.MemoryBudget;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a store divides its memory where a cache was asked for. */
class MemoryBudgetTest {
    private static final long MIB = 1 << 20;

    private static MemoryBudget budget(FlexDBOptions options, long directMib) {
        JvmMemory jvm = new JvmMemory(directMib * MIB, directMib * MIB, 4 * directMib * MIB);
        return MemoryBudget.of(options.settings(), jvm);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8, 16, 32, 48, 60, 64})
    void aCacheThatWasAskedForLeavesMemtablesThatAreWorthACommit(long cacheMib) {
        MemoryBudget budget = budget(FlexDBOptions.defaults().withCacheBytes(cacheMib * MIB), 128);
        assertEquals(cacheMib * MIB, budget.cacheBytes());
        assertTrue(budget.memtables().bytes() >= 4 * MIB, budget::toString);
        assertTrue(sum(budget) <= 128 * MIB, budget::toString);
    }

    @ParameterizedTest
    @ValueSource(longs = {70, 80, 90, 95, 100})
    void aLargerOneLeavesAsMuchAsThereIs(long cacheMib) {
        MemoryBudget budget = budget(FlexDBOptions.defaults().withCacheBytes(cacheMib * MIB), 128);
        assertEquals(cacheMib * MIB, budget.cacheBytes());
        assertTrue(sum(budget) <= 128 * MIB, budget::toString);
    }

    @ParameterizedTest
    @ValueSource(longs = {24, 40, 64})
    void aBudgetThatWasAskedForIsNotExceeded(long memoryMib) {
        long cache = memoryMib / 2 * MIB;
        MemoryBudget budget =
                budget(FlexDBOptions.defaults().withMemoryBytes(memoryMib * MIB).withCacheBytes(cache), 128);
        assertTrue(sum(budget) <= memoryMib * MIB, budget::toString);
    }

    private static long sum(MemoryBudget budget) {
        MemoryBudget.Buffers buffers = budget.buffers();
        return budget.cacheBytes()
                + budget.memtables().count()
                        * MemTable.tableBytes(budget.memtables().bytes())
                + buffers.segmentBytes()
                + buffers.readBytes()
                + buffers.commitBytes();
    }
}
