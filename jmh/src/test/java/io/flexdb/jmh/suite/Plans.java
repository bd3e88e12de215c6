package io.flexdb.jmh.suite;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Plans and machines for tests. */
final class Plans {
    private Plans() {}

    static Plan of(Scale scale, Path directory, int rounds) {
        return new Plan(
                scale,
                directory.toString(),
                List.of("rocksdb", "lmdb"),
                List.of("ext4:/x"),
                2,
                3,
                1 << 28,
                rounds,
                false);
    }

    static Machine machine() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("processor", "a <fast> one");
        facts.put("kernel", "Linux 6");
        return new Machine(facts);
    }

    static ResultStore.Header header(Plan plan) {
        return new ResultStore.Header(plan, machine());
    }
}
