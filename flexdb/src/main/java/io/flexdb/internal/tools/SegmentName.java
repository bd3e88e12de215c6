package io.flexdb.internal.tools;

import io.flexdb.flexspace.internal.copy.CopiedSegment;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a segment's file in a directory of backups, which tells its content.
 *
 * @param number of the segment
 * @param generation of this use of it
 * @param frames that were copied
 * @param sealed whether a footer follows them
 * @param digest of the checksums of all frames
 */
record SegmentName(int number, int generation, int frames, boolean sealed, String digest) {
    /*
     * Number and generation tell the uses of a segment apart in the life of one store. But a store that was restored
     * goes another way than its original, with the same generations. So the name has a digest of the checksums of all
     * frames, which depend on store, segment, generation and content: segments with the same name are the same.
     */
    private static final Pattern NAME =
            Pattern.compile("([0-9]{1,10})-([0-9a-f]{1,8})-([0-9]{1,10})([so])-([0-9a-f]{32})");

    static SegmentName of(CopiedSegment segment, long storeId) {
        int[] sums = segment.checksums();
        return new SegmentName(
                segment.number(),
                segment.generation(),
                sums.length,
                segment.sealed(),
                digest(storeId, segment.number(), segment.generation(), sums));
    }

    private static String digest(long storeId, int number, int generation, int[] sums) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES + sums.length * Integer.BYTES);
        bytes.putLong(storeId).putInt(number).putInt(generation);
        for (int sum : sums) {
            bytes.putInt(sum);
        }
        byte[] hash;
        try {
            hash = MessageDigest.getInstance("SHA-256").digest(bytes.array());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 16; i++) {
            text.append(String.format(Locale.ROOT, "%02x", hash[i]));
        }
        return text.toString();
    }

    /** The name that a text is; null if it is none. */
    static SegmentName parse(String text) {
        Matcher matcher = NAME.matcher(text);
        try {
            return matcher.matches()
                    ? new SegmentName(
                            Integer.parseInt(matcher.group(1)),
                            Integer.parseUnsignedInt(matcher.group(2), 16),
                            Integer.parseInt(matcher.group(3)),
                            matcher.group(4).equals("s"),
                            matcher.group(5))
                    : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Whether checksums are those of this segment. */
    boolean isOf(int[] sums, long storeId) {
        return sums.length == frames
                && digest(storeId, number, generation, sums).equals(digest);
    }

    /** The segment, with checksums that are its own. */
    CopiedSegment with(int[] sums) {
        return new CopiedSegment(number, generation, sums, sealed);
    }

    @Override
    public String toString() {
        return number + "-" + Integer.toHexString(generation) + "-" + frames + (sealed ? "s" : "o") + "-" + digest;
    }
}
