package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.internal.base.BadRecordException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class WaitingOperandsTest {
    private static void assertSame(WaitingOperands expected, WaitingOperands found) {
        assertArrayEquals(expected.value(), found.value());
        assertEquals(expected.operands().size(), found.operands().size());
        for (int i = 0; i < expected.operands().size(); i++) {
            assertArrayEquals(expected.operands().get(i), found.operands().get(i));
        }
    }

    @Property
    void whatIsEncodedIsFound(@ForAll @Size(min = 1, max = 20) List<byte[]> operands, @ForAll byte[] value) {
        for (byte[] below : new byte[][] {null, {}, value}) {
            WaitingOperands waiting = new WaitingOperands(below, operands);
            byte[] list = waiting.encoded();
            assertEquals(waiting.bytes(), list.length);
            assertSame(waiting, WaitingOperands.of(list));
        }
    }

    @Property
    void aListMadeByPartsIsTheSame(@ForAll @Size(min = 1, max = 20) List<byte[]> operands, @ForAll byte[] value) {
        byte[] list = new WaitingOperands(value, operands).encoded();
        byte[] before = WaitingOperands.beforeValue(value.length);
        byte[] after = WaitingOperands.encoded(operands);
        LongBase.Parts parts = (from, to) -> to.put(value, from, to.remaining());
        LongBase base = new LongBase(value.length, false, Long.MAX_VALUE, 0, parts);
        LongList found = new LongList(before, base, after, Long.MAX_VALUE, 0);
        assertEquals(list.length, found.length());
        assertEquals(after.length, found.operandBytes());
        ByteBuffer all = ByteBuffer.allocate(list.length + 1);
        for (int part = 1; found.read(all.limit(Math.min(all.capacity(), all.position() + part))) >= 0; part++) {}
        assertEquals(ByteBuffer.wrap(list), all.flip());
        assertEquals(list.length - after.length, WaitingOperands.bytesThroughValue(list, list.length));
        int end = list.length - after.length;
        assertThrows(BadRecordException.class, () -> WaitingOperands.bytesThroughValue(list, end - 1));
    }

    @Property
    void anyBytesAreAListOrRefused(@ForAll @Size(max = 30) byte[] bytes) {
        try {
            WaitingOperands found = WaitingOperands.of(bytes);
            assertArrayEquals(bytes, found.encoded());
        } catch (BadRecordException e) {
            assertEquals("a list of operands that wait", e.expected());
        }
    }

    @Test
    void aListThatIsCutShortIsRefusedOrHasFewerOperands() {
        byte[] list = new WaitingOperands(new byte[300], List.of(new byte[3], new byte[0], new byte[200])).encoded();
        int refused = 0;
        for (int length = 0; length < list.length; length++) {
            byte[] cut = Arrays.copyOf(list, length);
            try {
                assertEquals(true, WaitingOperands.of(cut).operands().size() < 3);
            } catch (BadRecordException e) {
                refused++;
            }
        }
        assertEquals(list.length - 2, refused); // behind the first operand, and behind the second
        byte[] odd = list.clone();
        odd[0] = 2;
        assertThrows(BadRecordException.class, () -> WaitingOperands.of(odd));
    }
}
