package io.flexdb.typed;

import java.util.Objects;
import java.util.function.Function;

/** A codec of two functions. */
record FunctionCodec<T>(String name, Function<? super T, byte[]> encoder, Function<? super byte[], ? extends T> decoder)
        implements Codec<T> {
    FunctionCodec {
        Names.requireName(name);
        Objects.requireNonNull(encoder, "encode");
        Objects.requireNonNull(decoder, "decode");
    }

    @Override
    public byte[] encode(T value) {
        return encoder.apply(Objects.requireNonNull(value, "value"));
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
