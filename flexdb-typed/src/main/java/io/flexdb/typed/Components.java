package io.flexdb.typed;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The components of a tuple, one behind the other. The last one stands as it is, as nothing comes behind it; the end of
 * the others can be found.
 */
final class Components {
    private final List<Component<Object>> components;

    Components(KeyCodec<?>... codecs) {
        components = Arrays.stream(codecs).map(Components::component).toList();
    }

    @SuppressWarnings("unchecked") // the tuple's codec gives each component what it takes
    private static Component<Object> component(KeyCodec<?> codec) {
        return new Component<>((KeyCodec<Object>) Objects.requireNonNull(codec, "codec"));
    }

    String name() {
        return components.stream()
                .map(component -> component.codec().name())
                .collect(Collectors.joining(", ", "tuple(", ")"));
    }

    int fixedBytes() {
        int bytes = 0;
        for (Component<Object> component : components) {
            int fixed = component.codec().fixedBytes();
            if (fixed == KeyCodec.VARIABLE) {
                return KeyCodec.VARIABLE;
            }
            bytes += fixed;
        }
        return bytes;
    }

    private int last() {
        return components.size() - 1;
    }

    byte[] encode(Object... values) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < last(); i++) {
            bytes.writeBytes(components.get(i).encode(values[i]));
        }
        bytes.writeBytes(components.get(last()).codec().encode(values[last()]));
        return bytes.toByteArray();
    }

    /** The bytes that all tuples begin with whose first components are these; not the last one. */
    byte[] prefix(Object... values) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < values.length; i++) {
            bytes.writeBytes(components.get(i).encode(values[i]));
        }
        return bytes.toByteArray();
    }

    /** Decodes a component, behind those before it. The last one has all the rest. */
    @SuppressWarnings("unchecked")
    <T> T decode(int index, ByteBuffer rest) {
        Component<Object> component = components.get(index);
        if (index < last()) {
            return (T) component.decode(rest);
        }
        byte[] bytes = new byte[rest.remaining()];
        rest.get(bytes);
        return (T) component.codec().decode(bytes);
    }
}
