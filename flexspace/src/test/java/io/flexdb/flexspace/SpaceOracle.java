package io.flexdb.flexspace;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** What a space may hold, worked out with plain arrays of bytes and without the engine. */
final class SpaceOracle {
    private final List<byte[]> states = new ArrayList<>(List.of(new byte[0])); // since the last sync

    /** The content now. */
    byte[] now() {
        return states.get(states.size() - 1);
    }

    /** The change that begins now may be found after a crash, or not. */
    void begins(byte[] after) {
        states.add(after);
    }

    /** The change that began last was refused, and changed nothing. */
    void refused() {
        states.remove(states.size() - 1);
    }

    /** All changes so far are durable. */
    void synced() {
        startFrom(now());
    }

    void startFrom(byte[] content) {
        states.clear();
        states.add(content);
    }

    boolean allows(byte[] content) {
        return states.stream().anyMatch(state -> Arrays.equals(state, content));
    }

    SpaceOracle copy() {
        SpaceOracle copy = new SpaceOracle();
        copy.states.clear();
        copy.states.addAll(states);
        return copy;
    }

    /** What was found, seen from the states allowed. */
    String explain(byte[] content) {
        StringBuilder text = new StringBuilder("found " + content.length + " bytes; allowed:");
        for (byte[] state : states) {
            text.append(' ').append(state.length).append(" (differs at ").append(Arrays.mismatch(state, content));
            text.append(')');
        }
        return text.toString();
    }

    static byte[] inserted(byte[] content, int offset, byte[] bytes) {
        byte[] after = new byte[content.length + bytes.length];
        System.arraycopy(content, 0, after, 0, offset);
        System.arraycopy(bytes, 0, after, offset, bytes.length);
        System.arraycopy(content, offset, after, offset + bytes.length, content.length - offset);
        return after;
    }

    static byte[] collapsed(byte[] content, int offset, int length) {
        byte[] after = new byte[content.length - length];
        System.arraycopy(content, 0, after, 0, offset);
        System.arraycopy(content, offset + length, after, offset, after.length - offset);
        return after;
    }

    static byte[] written(byte[] content, int offset, byte[] bytes) {
        byte[] after = Arrays.copyOf(content, Math.max(content.length, offset + bytes.length));
        System.arraycopy(bytes, 0, after, offset, bytes.length);
        return after;
    }

    /** The target counts as in the space before the move. */
    static byte[] moved(byte[] content, int offset, int length, int target) {
        byte[] range = Arrays.copyOfRange(content, offset, offset + length);
        return inserted(collapsed(content, offset, length), target > offset ? target - length : target, range);
    }

    static byte[] punched(byte[] content, int offset, int length) {
        return written(content, offset, new byte[length]);
    }

    static byte[] randomBytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Everything that a space holds. */
    static byte[] contentOf(FlexSpace space) {
        byte[] bytes = new byte[(int) space.size()];
        if (bytes.length > 0) {
            space.read(0, ByteBuffer.wrap(bytes));
        }
        return bytes;
    }
}
