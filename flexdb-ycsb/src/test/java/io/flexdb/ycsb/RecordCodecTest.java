package io.flexdb.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.RandomByteIterator;
import site.ycsb.StringByteIterator;

class RecordCodecTest {
    private final RecordCodec codec = new RecordCodec();

    @Test
    void aStandardFieldHasEightBytesBesideItsValue() {
        ByteBuffer record = codec.encode(Map.of("field0", new RandomByteIterator(100)));
        assertEquals(108, record.remaining());
    }

    @Test
    void aRecordComesBackWithAllItsFields() {
        Map<String, String> fields = Map.of("a", "one", "b", "", "\u00e4", "x".repeat(20_000));
        assertEquals(fields, decode(encode(fields), null));
        assertEquals(fields, decode(encode(fields), Set.of()));
    }

    @Test
    void onlyTheFieldsAskedForComeBack() {
        byte[] record = encode(Map.of("a", "1", "b", "2", "c", "3"));
        assertEquals(Map.of("a", "1", "c", "3"), decode(record, Set.of("a", "c", "absent")));
    }

    @Test
    void aMergeReplacesFieldsAddsNewOnesAndKeepsTheRest() {
        byte[] record = encode(Map.of("a", "1", "b", "2", "c", "3"));
        byte[] merged = bytes(codec.merge(record, iterators(Map.of("b", "a longer value", "d", "4"))));
        assertEquals(Map.of("a", "1", "b", "a longer value", "c", "3", "d", "4"), decode(merged, null));
    }

    @Test
    void randomMergesAgreeWithAMap() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Map<String, String> model = new HashMap<>();
        byte[] record = encode(model);
        for (int i = 0; i < 2_000; i++) {
            Map<String, String> change = new LinkedHashMap<>();
            for (int n = random.nextInt(4); n > 0; n--) {
                change.put("field" + random.nextInt(40), "v".repeat(random.nextInt(300)) + i);
            }
            model.putAll(change);
            record = bytes(codec.merge(record, iterators(change)));
            assertEquals(model, decode(record, null), "seed " + seed + ", change " + i);
        }
    }

    @Test
    void valuesOfYcsbsRandomGeneratorKeepTheirLength() {
        Map<String, ByteIterator> fields = new LinkedHashMap<>();
        List<Integer> lengths = new ArrayList<>();
        for (int length = 0; length < 300; length++) {
            fields.put("f" + length, new RandomByteIterator(length));
            lengths.add(length);
        }
        Map<String, ByteIterator> decoded = new LinkedHashMap<>();
        codec.decode(bytes(codec.encode(fields)), null, decoded);
        assertEquals(
                lengths,
                decoded.values().stream().map(value -> (int) value.bytesLeft()).toList());
    }

    @Test
    void aRecordThatIsCutIsReportedAndNotRead() {
        byte[] record = encode(Map.of("name", "value"));
        for (int length = 1; length < record.length; length++) {
            byte[] cut = Arrays.copyOf(record, length);
            assertThrows(RecordCodec.MalformedRecordException.class, () -> decode(cut, null), "length " + length);
        }
    }

    @Test
    void anEndlessLengthIsReported() {
        byte[] record = new byte[20];
        Arrays.fill(record, (byte) 0xff);
        assertThrows(RecordCodec.MalformedRecordException.class, () -> decode(record, null));
    }

    private byte[] encode(Map<String, String> fields) {
        return bytes(codec.encode(iterators(fields)));
    }

    private Map<String, String> decode(byte[] record, Set<String> wanted) {
        Map<String, ByteIterator> result = new HashMap<>();
        codec.decode(record, wanted, result);
        return StringByteIterator.getStringMap(result);
    }

    private static Map<String, ByteIterator> iterators(Map<String, String> fields) {
        Map<String, ByteIterator> iterators = new LinkedHashMap<>();
        fields.forEach((name, value) ->
                iterators.put(name, new ByteArrayByteIterator(value.getBytes(StandardCharsets.UTF_8))));
        return iterators;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
