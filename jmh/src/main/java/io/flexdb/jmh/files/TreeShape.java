package io.flexdb.jmh.files;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A deep tree of files: directories have four others each, and a hundred files. Nine of ten files have 200 bytes, as in
 * TokuBench, which BetrFS was measured with; the others up to 20,000. What a file has follows from its number; each
 * fiftieth has the word that is looked for at its end.
 */
final class TreeShape {
    static final String ROOT = "/tree";
    static final byte[] WORD = "cpu_to_be64".getBytes(StandardCharsets.US_ASCII);

    private static final int FAN_OUT = 4;
    private static final int FILES_EACH = 100;
    private static final int SMALL_BYTES = 200;
    private static final int LARGE_BYTES = 20_000;
    private static final int WITH_WORD = 50;

    private static final int LETTERS = 1 << 20;
    private static final byte[] MATERIAL = material(LETTERS + LARGE_BYTES + SMALL_BYTES);

    private final int files;
    private final String[] directories;

    TreeShape(int files) {
        this.files = files;
        this.directories = new String[(files + FILES_EACH - 1) / FILES_EACH];
        for (int i = 0; i < directories.length; i++) {
            directories[i] = i == 0 ? ROOT : directories[(i - 1) / FAN_OUT] + "/d" + i;
        }
    }

    private static byte[] material(int bytes) {
        byte[] material = new byte[bytes];
        int state = 1;
        for (int i = 0; i < bytes; i++) {
            state ^= state << 13;
            state ^= state >>> 17;
            state ^= state << 5;
            material[i] = (byte) ('A' + (state & 15)); // of which the word has none
        }
        return material;
    }

    int files() {
        return files;
    }

    int directories() {
        return directories.length;
    }

    String directory(int number) {
        return directories[number];
    }

    String file(int number) {
        return directories[number / FILES_EACH] + "/" + name(number);
    }

    private static String name(int number) {
        return "f" + number + ".c";
    }

    /** The number of a file of this name. */
    static int number(String name) {
        return Integer.parseInt(name.substring(1, name.length() - 2));
    }

    int length(int number) {
        return number % 10 == 0 ? 1 + (int) (number * 7919L % LARGE_BYTES) + SMALL_BYTES : SMALL_BYTES;
    }

    boolean hasWord(int number) {
        return number % WITH_WORD == 0;
    }

    /** Costs little more than the copy, since it is made while the clock runs. */
    byte[] content(int number) {
        int from = (int) (number * 7919L % LETTERS);
        byte[] content = Arrays.copyOfRange(MATERIAL, from, from + length(number));
        if (hasWord(number)) {
            System.arraycopy(WORD, 0, content, content.length - WORD.length, WORD.length);
        }
        return content;
    }

    /** Throws unless a file has what it should. */
    void check(int number, byte[] content) {
        if (!Arrays.equals(content, content(number))) {
            throw new IllegalStateException("file " + number + " has other bytes than were written");
        }
    }

    long bytes() {
        long bytes = 0;
        for (int i = 0; i < files; i++) {
            bytes += length(i);
        }
        return bytes;
    }
}
