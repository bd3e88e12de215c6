package io.flexdb.jmh.flexspace;

import io.flexdb.jmh.flexspace.BlockWorkload.Pattern;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The figures of the paper's Table 2, for 262,144 blocks; "Y" there is less than 0.01. For insertions of 4 KB on ext4
 * it is the figure of the text.
 */
public final class PaperFigures {
    /** The systems of the table. */
    public static final List<String> SYSTEMS = List.of(Subject.FLEXSPACE, "xfs", "ext4", "f2fs", "btrfs");

    /** The metric of bytes written to the disk for each byte written. */
    public static final String WRITE_AMPLIFICATION = WriteAndRead.DEVICE;

    static final String LESS = "<0.01";

    private static final int BLOCKS = 1 << 18;
    private static final int SMALL_BLOCK_BYTES = 4 << 10;
    private static final int LARGE_BLOCK_BYTES = 64 << 10;

    /** Who has figures for a pattern, in the order of the table. */
    private static final List<List<String>> SYSTEMS_BY_PATTERN = List.of(SYSTEMS.subList(0, 3), SYSTEMS, SYSTEMS);

    /** A row for each metric: 4 KB, then 64 KB. */
    private static final Map<String, String> ROWS = Map.of(
            WriteAndRead.WRITE,
            """
            0.62 Y 0.00336 0.61 0.57 0.50 0.61 0.62 0.62 0.63 0.60 0.55 0.62 \
            0.75 Y 0.05 0.76 0.79 0.77 0.85 0.64 0.77 0.82 0.77 0.72 0.82""",
            WriteAndRead.DEVICE,
            """
            1.03 5.53 2.23 1.03 1.02 1.06 1.02 1.10 1.03 1.02 1.05 1.02 1.03 \
            1.02 1.83 1.10 1.02 1.02 1.05 1.03 1.03 1.02 1.02 1.05 1.03 1.03""",
            WriteAndRead.reading(true, true, 1),
            """
            0.39 1.11 0.95 0.41 1.97 1.82 1.81 1.15 1.92 1.97 1.83 1.81 1.66 \
            0.95 1.93 2.07 0.95 1.92 2.05 2.02 1.63 1.93 2.05 2.05 2.02 1.71""",
            WriteAndRead.reading(false, true, 1),
            """
            0.38 0.38 0.36 0.38 0.41 0.37 0.40 0.24 0.40 0.41 0.36 0.40 0.25 \
            0.94 0.97 0.99 0.94 0.95 1.00 0.98 0.79 0.95 1.01 0.98 1.00 0.81""",
            WriteAndRead.reading(true, false, 1),
            """
            3.44 4.26 4.48 3.44 4.39 4.44 4.43 4.44 4.33 4.42 4.44 4.42 4.38 \
            5.45 5.76 5.70 5.43 5.70 5.71 5.73 5.74 5.58 5.71 5.74 5.76 5.74""",
            WriteAndRead.reading(false, false, 1),
            """
            2.42 3.23 2.75 2.40 3.28 3.39 3.41 3.38 2.77 3.28 3.36 3.42 3.38 \
            5.21 5.46 4.43 5.17 5.43 5.44 5.40 5.49 5.19 5.42 5.47 5.42 5.46""");

    private PaperFigures() {}

    /**
     * The figure as it is printed, empty if there is none.
     *
     * @param metric as {@link Table2} names it, such as {@code random read, cold, threads 1}
     * @param pattern of writing, as the table names it
     * @param blockBytes 4096 or 65536
     * @param system of {@link #SYSTEMS}
     */
    public static String cell(String metric, String pattern, int blockBytes, String system) {
        for (Pattern each : Pattern.values()) {
            if (each.label.equals(pattern)) {
                return cell(metric, each, blockBytes, BLOCKS, system);
            }
        }
        return "";
    }

    /** The figure as it is printed, empty if there is none. */
    static String cell(String metric, Pattern pattern, int blockBytes, int blocks, String system) {
        boolean small = blockBytes == SMALL_BLOCK_BYTES;
        List<String> systems = SYSTEMS_BY_PATTERN.get(pattern.ordinal());
        boolean has = blocks == BLOCKS && (small || blockBytes == LARGE_BLOCK_BYTES);
        if (!has || !systems.contains(system) || !ROWS.containsKey(metric)) {
            return "";
        }
        int column = systems.indexOf(system);
        for (List<String> earlier : SYSTEMS_BY_PATTERN.subList(0, pattern.ordinal())) {
            column += earlier.size();
        }
        String[] row = ROWS.get(metric).split(" ");
        String figure = row[small ? column : column + row.length / 2];
        return figure.equals("Y") ? LESS : figure;
    }

    /** The figure as a number; those that are told as less than something are none. */
    static OptionalDouble value(String metric, Pattern pattern, int blockBytes, int blocks, String system) {
        String cell = cell(metric, pattern, blockBytes, blocks, system);
        return cell.isEmpty() || cell.equals(LESS)
                ? OptionalDouble.empty()
                : OptionalDouble.of(Double.parseDouble(cell));
    }
}
