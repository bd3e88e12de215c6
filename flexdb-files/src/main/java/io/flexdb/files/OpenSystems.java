package io.flexdb.files;

import java.lang.ref.WeakReference;
import java.nio.file.FileSystemAlreadyExistsException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The file systems that are open, by what they are known by. Those that were opened over somebody's store do not stay in
 * memory because of this, if he forgets to close them. Guarded by itself.
 */
final class OpenSystems {
    private final Map<String, Open> systems = new HashMap<>();
    private long count;

    private record Open(String name, Supplier<FlexFileSystem> system) {}

    String newId() {
        count++;
        return "open-" + count;
    }

    private void forgetLost() {
        List<String> lost = new ArrayList<>();
        systems.forEach((id, open) -> {
            if (open.system.get() == null) {
                lost.add(id);
            }
        });
        lost.forEach(systems::remove);
    }

    void requireFree(String id) {
        if (systems.containsKey(id)) {
            throw new FileSystemAlreadyExistsException("open already: " + id);
        }
    }

    void requireFree(OpenStore store, String name) {
        forgetLost();
        for (Open open : systems.values()) {
            FlexFileSystem system = open.system.get();
            if (system != null && system.store().isSame(store) && open.name.equals(name)) {
                throw new FileSystemAlreadyExistsException("open already: \"" + name + "\" of " + store);
            }
        }
    }

    void add(FlexFileSystem system, String name, boolean keep) {
        Supplier<FlexFileSystem> reference = keep ? () -> system : new WeakReference<>(system)::get;
        systems.put(system.id(), new Open(name, reference));
    }

    FlexFileSystem get(String id) {
        Open open = systems.get(id);
        return open == null ? null : open.system.get();
    }

    void remove(FlexFileSystem system) {
        systems.remove(system.id());
    }
}
