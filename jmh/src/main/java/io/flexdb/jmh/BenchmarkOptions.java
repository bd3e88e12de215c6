package io.flexdb.jmh;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/**
 * What the options of programs that measure have in common: other defaults with {@code --quick}, numbers that k, m or g
 * may follow, and lists that may be empty.
 */
public final class BenchmarkOptions {
    /** The option for a run that only shows that everything works. */
    public static final String QUICK = "--quick";

    private BenchmarkOptions() {}

    /**
     * The reader of a program's arguments.
     *
     * @param options an object with annotations of picocli
     * @param defaults by the names of options: those that no annotation tells
     * @param quickDefaults the same of those that are others with {@link #QUICK}
     * @param arguments those that will be read: defaults are chosen before that
     */
    public static CommandLine commandLine(
            Object options, Map<String, String> defaults, Map<String, String> quickDefaults, String... arguments) {
        Map<String, String> own = new HashMap<>(defaults);
        if (Arrays.asList(arguments).contains(QUICK)) {
            own.putAll(quickDefaults);
        }
        return new CommandLine(options)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setDefaultValueProvider(
                        argument -> argument instanceof OptionSpec option ? own.get(option.longestName()) : null);
    }

    /**
     * Empties the lists that were given without an item. To be called once the arguments have been read.
     *
     * @throws ParameterException if a list has an empty item among others
     */
    public static void dropEmptyItems(CommandLine line) {
        for (OptionSpec option : line.getCommandSpec().options()) {
            if (option.getValue() instanceof List<?> items && items.contains(null)) {
                if (items.size() > 1) {
                    throw new ParameterException(
                            line, "Invalid value for option '" + option.longestName() + "': an item is empty");
                }
                items.clear();
            }
        }
    }

    /**
     * Reads a positive number, such as {@code 4096}, {@code 4k}, {@code 1m} or {@code 1g}, in powers of 1024.
     *
     * @throws TypeConversionException if the text is anything else
     */
    public static long number(String text) {
        int shift = 0;
        if (!text.isEmpty()) {
            shift = 10 * (1 + "kmg".indexOf(text.charAt(text.length() - 1)));
        }
        long number;
        try {
            number = Long.parseLong(shift == 0 ? text : text.substring(0, text.length() - 1));
        } catch (NumberFormatException e) {
            throw new TypeConversionException("not a number: \"" + text + "\"");
        }
        if (number < 1 || number > Long.MAX_VALUE >> shift) {
            throw new TypeConversionException("must be from 1 to " + Long.MAX_VALUE + ": " + text);
        }
        return number << shift;
    }

    /** Reads a {@link #number} that fits an int. */
    public static int count(String text) {
        long number = number(text);
        if (number > Integer.MAX_VALUE) {
            throw new TypeConversionException("must be at most " + Integer.MAX_VALUE + ": " + text);
        }
        return (int) number;
    }

    /** For a single number. */
    public static final class LargeCount implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return number(text);
        }
    }

    /** For a single count. */
    public static final class Count implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return count(text);
        }
    }

    /** For a single count, or 0. */
    public static final class CountOrNone implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return text.equals("0") ? 0 : count(text);
        }
    }

    /** For one of some things, by what their {@code toString()} says, in whichever case; for its candidates, too. */
    public abstract static class Name<T> implements ITypeConverter<T>, Iterable<String> {
        private final List<T> all;

        protected Name(List<T> all) {
            this.all = all;
        }

        @Override
        public final T convert(String text) {
            return all.stream()
                    .filter(each -> each.toString().equalsIgnoreCase(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("not one of " + all + ": " + text));
        }

        @Override
        public final Iterator<String> iterator() {
            return all.stream().map(Object::toString).iterator();
        }
    }

    /** For the items of a list that may be empty. That has one empty item, until {@link #dropEmptyItems}. */
    public abstract static class Item<T> implements ITypeConverter<T> {
        @Override
        public final T convert(String text) {
            return text.isEmpty() ? null : item(text);
        }

        /** Reads an item, which is not empty. */
        protected abstract T item(String text);
    }

    /** For lists of numbers. */
    public static final class NumberItem extends Item<Long> {
        @Override
        protected Long item(String text) {
            return number(text);
        }
    }

    /** For lists of counts. */
    public static final class CountItem extends Item<Integer> {
        @Override
        protected Integer item(String text) {
            return count(text);
        }
    }
}
