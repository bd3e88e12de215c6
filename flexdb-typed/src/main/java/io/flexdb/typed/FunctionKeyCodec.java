package io.flexdb.typed;

import java.util.Comparator;
import java.util.Objects;
import java.util.function.Function;

/** A key codec of two functions. */
record FunctionKeyCodec<T>(
        String name,
        int fixedBytes,
        Comparator<T> comparator,
        Function<? super T, byte[]> encoder,
        Function<? super byte[], ? extends T> decoder)
        implements KeyCodec<T> {
    FunctionKeyCodec {
        Names.requireName(name);
        Objects.requireNonNull(comparator, "comparator");
        Objects.requireNonNull(encoder, "encode");
        Objects.requireNonNull(decoder, "decode");
    }

    @Override
    public byte[] encode(T key) {
        return encoder.apply(key);
    }

    @Override
    public T decode(byte[] bytes) {
        return decoder.apply(Objects.requireNonNull(bytes, "bytes"));
    }

    @Override
    public String toString() {
        return name;
    }
}
