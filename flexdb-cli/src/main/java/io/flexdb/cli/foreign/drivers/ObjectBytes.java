package io.flexdb.cli.foreign.drivers;

import io.flexdb.cli.foreign.ForeignStoreException;
import io.flexdb.cli.foreign.ForeignStoreException.Reason;
import io.flexdb.typed.Codec;
import io.flexdb.typed.KeyCodec;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Turns the objects of a map into bytes: byte arrays as they are, other keys as the codecs of flexdb-typed do, so that
 * their order is kept. The keys of a map are of one type, or two of them could have the same bytes.
 */
final class ObjectBytes {
    private static final Map<Class<?>, Function<Object, byte[]>> KEYS = Map.of(
            byte[].class,
            byte[].class::cast,
            String.class,
            of(KeyCodec.strings()),
            Integer.class,
            of(KeyCodec.ints()),
            Long.class,
            of(KeyCodec.longs()),
            UUID.class,
            of(KeyCodec.uuids()),
            BigInteger.class,
            of(KeyCodec.bigIntegers()),
            Instant.class,
            of(KeyCodec.instants()),
            LocalDate.class,
            of(KeyCodec.localDates()));
    private static final Map<Class<?>, Function<Object, byte[]>> VALUES = Map.of(
            byte[].class,
            byte[].class::cast,
            String.class,
            of(Codec.strings()),
            Integer.class,
            of(Codec.ints()),
            Long.class,
            of(Codec.longs()),
            UUID.class,
            of(Codec.uuids()),
            Double.class,
            of(Codec.doubles()),
            Boolean.class,
            of(Codec.booleans()));

    private final String map;
    private Class<?> keyType;

    ObjectBytes(String map) {
        this.map = map;
    }

    @SuppressWarnings("unchecked") // the maps have each codec under its class
    private static <T> Function<Object, byte[]> of(Codec<T> codec) {
        return object -> codec.encode((T) object);
    }

    byte[] key(Object key) {
        Class<?> type = key == null ? Void.class : key.getClass();
        if (keyType != null && keyType != type) {
            throw unsupported("keys of the types " + keyType.getTypeName() + " and " + type.getTypeName()
                    + "; all of them have to be of one type");
        }
        keyType = type;
        return bytes(KEYS, "keys", key);
    }

    byte[] value(Object value) {
        return bytes(VALUES, "values", value);
    }

    private byte[] bytes(Map<Class<?>, Function<Object, byte[]>> codecs, String what, Object object) {
        Class<?> type = object == null ? Void.class : object.getClass();
        Function<Object, byte[]> codec = codecs.get(type);
        if (codec == null) {
            throw unsupported(what + " of the type " + type.getTypeName() + "; those that can be imported are "
                    + codecs.keySet().stream()
                            .map(Class::getSimpleName)
                            .sorted()
                            .collect(Collectors.joining(", ")));
        }
        try {
            return codec.apply(object);
        } catch (IllegalArgumentException e) {
            throw unsupported(what + " without a form in bytes: " + e.getMessage());
        }
    }

    private ForeignStoreException unsupported(String what) {
        return new ForeignStoreException(Reason.NOT_SUPPORTED, map + " has " + what, null);
    }
}
