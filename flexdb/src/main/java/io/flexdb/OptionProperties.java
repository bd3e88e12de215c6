package io.flexdb;

import io.flexdb.flexspace.FlexSpaceOptions;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The settings of a store that properties may name. */
final class OptionProperties {
    private static final Pattern BYTES = Pattern.compile("(-?[0-9]{1,19})([kmg]?)b?");
    private static final String UNITS = "kmg"; // each is 1,024 of the one before
    private static final String SPACE = "space.";

    private static final Map<String, BiFunction<FlexDBOptions, Object, FlexDBOptions>> SETTINGS = new TreeMap<>();

    static {
        add("durability", value -> constant(Durability.class, value), FlexDBOptions::withDurability);
        add("memoryBytes", OptionProperties::bytes, FlexDBOptions::withMemoryBytes);
        add("cacheBytes", OptionProperties::bytes, FlexDBOptions::withCacheBytes);
        add("memtableBytes", OptionProperties::intBytes, FlexDBOptions::withMemtableBytes);
        add("syncInterval", OptionProperties::duration, FlexDBOptions::withSyncInterval);
        add("maxPinnedBytes", OptionProperties::bytes, FlexDBOptions::withMaxPinnedBytes);
        add("maxPinnedFileBytes", OptionProperties::bytes, FlexDBOptions::withMaxPinnedFileBytes);
        add("holderTraces", OptionProperties::flag, FlexDBOptions::withHolderTraces);
        add("largeValueBytes", OptionProperties::intBytes, FlexDBOptions::withLargeValueBytes);
        add("maxLeasedBytes", OptionProperties::bytes, FlexDBOptions::withMaxLeasedBytes);
        add("reads", value -> constant(Reads.class, value), FlexDBOptions::withReads);
        add("readableByGroup", OptionProperties::flag, FlexDBOptions::withReadableByGroup);
        add("defragmentedBytesPerSecond", OptionProperties::bytes, FlexDBOptions::withDefragmentedBytesPerSecond);
        add("stitchingThresholdBytes", OptionProperties::intBytes, FlexDBOptions::withStitchingThresholdBytes);
        add("rangeFilter", OptionProperties::flag, FlexDBOptions::withRangeFilter);
        addOfSpace("segments", OptionProperties::segments, (space, of) -> space.withSegments(of[0], of[1]));
        addOfSpace("checkpointLogBytes", OptionProperties::bytes, FlexSpaceOptions::withCheckpointLogBytes);
        addOfSpace("logBufferBytes", OptionProperties::intBytes, FlexSpaceOptions::withLogBufferBytes);
        addOfSpace("minimumUtilization", OptionProperties::share, FlexSpaceOptions::withMinimumUtilization);
        addOfSpace("maxDataBytes", OptionProperties::bytes, FlexSpaceOptions::withMaxDataBytes);
        addOfSpace("scrubBytesPerSecond", OptionProperties::bytes, FlexSpaceOptions::withScrubBytesPerSecond);
        addOfSpace("segmentBuffers", OptionProperties::intBytes, FlexSpaceOptions::withSegmentBuffers);
        addOfSpace("frameTableBytes", OptionProperties::bytes, FlexSpaceOptions::withFrameTableBytes);
    }

    private OptionProperties() {}

    private static <T> void add(
            String name, Function<Object, T> parser, BiFunction<FlexDBOptions, T, FlexDBOptions> setting) {
        SETTINGS.put(normal(name), (options, value) -> setting.apply(options, parser.apply(value)));
    }

    private static <T> void addOfSpace(
            String name, Function<Object, T> parser, BiFunction<FlexSpaceOptions, T, FlexSpaceOptions> setting) {
        SETTINGS.put(
                normal(SPACE + name),
                (options, value) -> options.withSpace(setting.apply(options.space(), parser.apply(value))));
    }

    private static String normal(String name) {
        return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
    }

    static FlexDBOptions apply(FlexDBOptions options, Map<?, ?> properties, String prefix) {
        Map<String, Object> named = new TreeMap<>(); // in one order, whatever that of the map is
        properties.forEach((key, value) -> {
            if (key instanceof String name && name.startsWith(prefix)) {
                named.put(name, value);
            }
        });
        FlexDBOptions result = options;
        for (Map.Entry<String, Object> property : named.entrySet()) {
            String name = property.getKey();
            BiFunction<FlexDBOptions, Object, FlexDBOptions> setting =
                    SETTINGS.get(normal(name.substring(prefix.length())));
            if (setting == null) {
                throw new IllegalArgumentException("property " + name + " is no setting of a store; there are "
                        + String.join(", ", SETTINGS.keySet()));
            }
            try {
                result = setting.apply(result, Limits.notNull(property.getValue(), "value"));
            } catch (IllegalArgumentException | NullPointerException e) {
                throw new IllegalArgumentException("property " + name + ": " + e.getMessage(), e);
            }
        }
        return result;
    }

    private static long bytes(Object value) {
        if (value instanceof Long || value instanceof Integer) {
            return ((Number) value).longValue();
        }
        Matcher matcher = BYTES.matcher(text(value).toLowerCase(Locale.ROOT));
        try {
            if (matcher.matches()) {
                long number = Long.parseLong(matcher.group(1));
                int unit = matcher.group(2).isEmpty() ? 0 : UNITS.indexOf(matcher.group(2)) + 1;
                return Math.multiplyExact(number, 1L << 10 * unit);
            }
        } catch (ArithmeticException | NumberFormatException e) {
            // It is too large a number, which is told as what is none.
        }
        throw new IllegalArgumentException("must be a number of bytes, such as 65536, 64k, 256m or 1g: " + value);
    }

    private static int intBytes(Object value) {
        long bytes = bytes(value);
        if (bytes != (int) bytes) {
            throw new IllegalArgumentException(
                    "must be from " + Integer.MIN_VALUE + " to " + Integer.MAX_VALUE + ": " + value);
        }
        return (int) bytes;
    }

    private static int[] segments(Object value) {
        String[] parts = text(value).split(",", -1);
        if (parts.length != 2) {
            throw new IllegalArgumentException(
                    "must be the bytes of a segment and of a frame, such as 4m,4k: " + value);
        }
        return new int[] {intBytes(parts[0]), intBytes(parts[1])};
    }

    private static boolean flag(Object value) {
        return switch (text(value).toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("must be true or false: " + value);
        };
    }

    private static double share(Object value) {
        try {
            return Double.parseDouble(text(value));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a number, such as 0.7: " + value, e);
        }
    }

    private static Duration duration(Object value) {
        if (value instanceof Duration duration) {
            return duration;
        }
        try {
            return Duration.parse(text(value));
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("must be a time, such as PT0.5S for half a second: " + value, e);
        }
    }

    private static <T extends Enum<T>> T constant(Class<T> type, Object value) {
        for (T constant : type.getEnumConstants()) {
            if (constant.name().equalsIgnoreCase(text(value))) {
                return constant;
            }
        }
        throw new IllegalArgumentException("must be one of " + Arrays.toString(type.getEnumConstants()) + ": " + value);
    }

    private static String text(Object value) {
        return value.toString().strip();
    }
}
