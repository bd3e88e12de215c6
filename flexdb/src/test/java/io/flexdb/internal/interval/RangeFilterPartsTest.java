package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.KeyspaceRegistry;
import io.flexdb.internal.base.StoreSettings;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The number of a key, and the set of cells, which a filter consists of. */
class RangeFilterPartsTest {
    private static KeyModel model(List<byte[]> of) {
        KeyModel.Counter counter = new KeyModel.Counter();
        of.forEach(key -> counter.add(key, 0, key.length));
        return counter.model();
    }

    @Property
    void numbersAreInTheOrderOfKeysWhateverTheModelWasMadeOf(
            @ForAll @Size(max = 20) List<byte[]> learned, @ForAll byte[] a, @ForAll byte[] b) {
        KeyModel model = model(learned);
        int order = Arrays.compareUnsigned(a, b);
        int ofNumbers = Long.compare(model.number(a, 0, a.length), model.number(b, 0, b.length));
        assertTrue(order == 0 ? ofNumbers == 0 : order * ofNumbers >= 0, "M1: " + order + ", " + ofNumbers);
        long number = model.number(a, 0, a.length);
        assertTrue(number >= 0 && number < 1L << KeyModel.BITS, "number " + number);
    }

    @Test
    void digitsAreSpreadEvenlyByAModelOfDigits() {
        KeyModel model = model(List.of("0123456789".repeat(40).getBytes(StandardCharsets.US_ASCII)));
        for (char digit = '0'; digit < '9'; digit++) {
            long gap =
                    model.number(new byte[] {(byte) (digit + 1)}, 0, 1) - model.number(new byte[] {(byte) digit}, 0, 1);
            assertTrue(gap > (1L << KeyModel.BITS) / 13, digit + ": " + gap);
        }
    }

    @Property
    void aSetHasTheCellsThatItWasMadeOf(
            @ForAll @Size(max = CellSet.MAX_COUNT) List<@IntRange(max = CellSet.CELLS - 1) Integer> list,
            @ForAll @IntRange(min = CellSet.MIN_PARTS, max = CellSet.MAX_PARTS) int parts,
            @ForAll @IntRange(max = CellSet.CELLS - 1) int firstCell,
            @ForAll @IntRange(max = 40) int more) {
        int first = CellSet.cell(firstCell, parts);
        int[] cells = list.stream()
                .mapToInt(cell -> CellSet.cell(cell, parts))
                .sorted()
                .toArray();
        int position = 5;
        ByteBuffer buffer = ByteBuffer.allocate(position + CellSet.slackBytes()).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.fill(buffer.array(), (byte) 0xA5);
        CellSet.write(buffer, position, cells, cells.length, parts);
        int end = position + CellSet.bytes(cells.length, parts);
        assertEquals((byte) 0xA5, buffer.get(end), "no byte more than it says");
        int[] read = new int[cells.length];
        CellSet.read(buffer, position, cells.length, parts, read);
        assertArrayEquals(cells, read);
        int last = Math.min(parts * CellSet.PART_CELLS - 1, first + more);
        boolean any = Arrays.stream(cells).anyMatch(cell -> first <= cell && cell <= last);
        assertEquals(any, CellSet.hasAny(buffer, position, cells.length, parts, first, last));
        for (int cell : cells) {
            assertTrue(CellSet.hasAny(buffer, position, cells.length, parts, cell, cell), "cell " + cell);
        }
    }

    @Test
    void setsTakeSevenBitsACellAndOneOfTwentyCellsAtMost() {
        for (int count = 8; count <= 50; count++) {
            int parts = CellSet.parts(count);
            int bytes = CellSet.bytes(count, parts);
            assertTrue(8 * bytes <= 7 * count + 8, count + " cells take " + bytes);
            assertTrue(20 * count < parts * CellSet.PART_CELLS, count + " of " + parts * CellSet.PART_CELLS);
        }
    }

    /** As where a store that was closed just now has not given back its memory yet. */
    @Test
    void filtersThatHadNoMemoryAtFirstTakeItWhenThereIsSome() {
        AtomicLong room = new AtomicLong();
        OffHeap memory = new OffHeap(ByteBuffer::allocateDirect, room::get, 0);
        RangeFilters filters =
                new RangeFilters(new Epochs(), memory, offset -> {}, new KeyspaceRegistry(new StoreSettings()));
        int[] cells = {3, 40, 90};
        int parts = CellSet.MIN_PARTS;
        ByteBuffer saved = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
        model(List.of()).save(saved.putInt(1));
        saved.putShort((short) (parts - 1 << 6 | cells.length));
        CellSet.write(saved, saved.position(), cells, cells.length, parts);
        saved.position(saved.position() + CellSet.bytes(cells.length, parts)).flip();
        assertTrue(filters.restoreModels(saved));
        int start = saved.position();
        assertTrue(filters.restore(7, saved), "it is sound");
        assertFalse(filters.has(7), "there is no memory");
        room.set(Long.MAX_VALUE);
        assertTrue(filters.restore(8, saved.position(start)));
        assertTrue(filters.has(8));
        assertEquals(1, filters.count());
    }
}
