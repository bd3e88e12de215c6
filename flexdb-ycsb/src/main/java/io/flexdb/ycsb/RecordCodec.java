package io.flexdb.ycsb;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;

/**
 * A YCSB record, which is a set of named fields, as one value of the store. For one thread.
 *
 * <p>The value is a sequence of fields, each {@code varint(nameBytes) name varint(valueBytes) value}. A varint holds 7
 * bits a byte, the lowest first, and the top bit says that another byte follows. Names are UTF-8. A field of the
 * standard workloads (a name like {@code field0}, 100 bytes of value) has 8 bytes beside its value.
 */
public final class RecordCodec {
    private final FieldNames names = new FieldNames();
    private final Set<String> merged = new HashSet<>();
    private byte[] scratch = new byte[4096];
    private int scratchLength;

    // The field that nextField() found last.
    private String name;
    private int valueStart;
    private int valueEnd;

    // Where varintAt() stopped reading.
    private int varintEnd;

    /** The value for a record with these fields. Valid until this codec is used again. */
    public ByteBuffer encode(Map<String, ByteIterator> fields) {
        scratchLength = 0;
        for (Map.Entry<String, ByteIterator> field : fields.entrySet()) {
            append(field.getKey(), field.getValue());
        }
        return ByteBuffer.wrap(scratch, 0, scratchLength);
    }

    /**
     * The value for a stored record with some fields replaced or added; the other fields stay as they are. Valid until
     * this codec is used again.
     */
    public ByteBuffer merge(byte[] stored, Map<String, ByteIterator> fields) {
        scratchLength = 0;
        merged.clear();
        int fieldIndex = 0;
        for (int position = 0; position < stored.length; position = valueEnd) {
            readField(stored, position, fieldIndex++);
            ByteIterator replacement = fields.get(name);
            if (replacement == null) {
                append(stored, position, valueEnd);
            } else if (merged.add(name)) {
                append(name, replacement);
            }
        }
        if (merged.size() < fields.size()) {
            for (Map.Entry<String, ByteIterator> field : fields.entrySet()) {
                if (!merged.contains(field.getKey())) {
                    append(field.getKey(), field.getValue());
                }
            }
        }
        return ByteBuffer.wrap(scratch, 0, scratchLength);
    }

    /**
     * Puts the fields of a stored record into {@code result}: those in {@code wanted}, or all if that is null or empty.
     * The values are views of {@code stored}.
     */
    public void decode(byte[] stored, Set<String> wanted, Map<String, ByteIterator> result) {
        boolean all = wanted == null || wanted.isEmpty();
        int fieldIndex = 0;
        for (int position = 0; position < stored.length; position = valueEnd) {
            readField(stored, position, fieldIndex++);
            if (all || wanted.contains(name)) {
                result.put(name, new ByteArrayByteIterator(stored, valueStart, valueEnd - valueStart));
            }
        }
    }

    private void readField(byte[] stored, int position, int fieldIndex) {
        int nameBytes = varintAt(stored, position);
        int nameStart = varintEnd;
        int nameEnd = endOf(stored, nameStart, nameBytes);
        name = names.decode(stored, nameStart, nameBytes, fieldIndex);
        int valueBytes = varintAt(stored, nameEnd);
        valueStart = varintEnd;
        valueEnd = endOf(stored, valueStart, valueBytes);
    }

    private int varintAt(byte[] stored, int position) {
        int value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            if (position >= stored.length) {
                throw new MalformedRecordException("ends inside a length, at byte " + position);
            }
            byte next = stored[position++];
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                varintEnd = position;
                return value;
            }
        }
        throw new MalformedRecordException("has a length of more than five bytes before byte " + position);
    }

    private static int endOf(byte[] stored, int start, int length) {
        if (length < 0 || length > stored.length - start) {
            throw new MalformedRecordException(
                    "has " + (stored.length - start) + " bytes left at byte " + start + " where " + length + " follow");
        }
        return start + length;
    }

    private void append(String fieldName, ByteIterator value) {
        byte[] nameBytes = names.encode(fieldName);
        appendVarint(nameBytes.length);
        append(nameBytes, 0, nameBytes.length);
        int valueBytes = Math.toIntExact(value.bytesLeft());
        appendVarint(valueBytes);
        // YCSB's random values fill an array in steps of six bytes, and may write past their own end.
        reserve(valueBytes);
        int position = scratchLength;
        scratchLength += valueBytes;
        while (position < scratchLength) {
            position = value.nextBuf(scratch, position);
        }
    }

    private void append(byte[] source, int start, int end) {
        reserve(end - start);
        System.arraycopy(source, start, scratch, scratchLength, end - start);
        scratchLength += end - start;
    }

    private void appendVarint(int value) {
        reserve(5);
        int rest = value;
        while (rest > 0x7f) {
            scratch[scratchLength++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        scratch[scratchLength++] = (byte) rest;
    }

    private void reserve(int bytes) {
        if (bytes > scratch.length - scratchLength) {
            long needed = (long) scratchLength + bytes;
            scratch = Arrays.copyOf(scratch, Math.toIntExact(Math.max(needed, Math.min(2 * needed, 1 << 30))));
        }
    }

    /** A value of the store that this codec didn't write. */
    static final class MalformedRecordException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MalformedRecordException(String message) {
            super("The stored record " + message);
        }
    }
}
