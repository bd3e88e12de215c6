package io.flexdb.jmh.suite;

import io.flexdb.jmh.flexdb.Subject;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The machine and software of a run, by what they are. "unknown" where the operating system does not tell.
 *
 * @param facts in the order of the report
 */
record Machine(Map<String, String> facts) {
    private static final Pattern RIVAL = Pattern.compile(Stream.of(Subject.values())
            .map(Subject::library)
            .filter(library -> !library.isEmpty())
            .collect(Collectors.joining("|", "(", ")-(.+)\\.jar")));
    private static final String UNKNOWN = "unknown";

    /** This machine, with the file system and the device of a directory. */
    static Machine of(Path directory) throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        FileStore store = Files.getFileStore(directory);
        facts.put("processor", field(Path.of("/proc/cpuinfo"), "model name\\s*: (.*)"));
        facts.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("memory", memory());
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("file system", store.type());
        facts.put("device", store.name() + device(store.name()));
        facts.put("JVM", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        facts.put("FlexDB", System.getProperty("flexdb.commit", UNKNOWN));
        facts.put("rivals", rivals());
        return new Machine(facts);
    }

    private static String memory() {
        String kibibytes = field(Path.of("/proc/meminfo"), "MemTotal:\\s+(\\d+) kB");
        return kibibytes.equals(UNKNOWN)
                ? UNKNOWN
                : String.format(Locale.ROOT, "%.1f GiB", Long.parseLong(kibibytes) / 1024.0 / 1024);
    }

    private static String device(String name) {
        String disk = Path.of("/" + name).getFileName().toString().replaceAll("p?\\d+$", "");
        String model = field(Path.of("/sys/block", disk, "device/model"), "(.*)");
        return model.equals(UNKNOWN) ? "" : ", " + model.strip();
    }

    private static String rivals() {
        String rivals = Stream.of(System.getProperty("java.class.path").split(System.getProperty("path.separator")))
                .map(jar -> RIVAL.matcher(Path.of(jar).getFileName().toString()))
                .filter(Matcher::matches)
                .map(jar -> jar.group(1) + " " + jar.group(2))
                .sorted()
                .collect(Collectors.joining(", "));
        return rivals.isEmpty() ? UNKNOWN : rivals;
    }

    private static String field(Path file, String pattern) {
        try {
            Pattern line = Pattern.compile(pattern);
            for (String each : Files.readAllLines(file)) {
                Matcher matcher = line.matcher(each);
                if (matcher.matches()) {
                    return matcher.group(1);
                }
            }
        } catch (IOException e) {
            // Another operating system, or no such device.
        }
        return UNKNOWN;
    }

    /** The facts in which another machine differs, as "name: here, there". */
    List<String> differences(Machine other) {
        return facts.entrySet().stream()
                .filter(each -> !each.getValue().equals(other.facts.get(each.getKey())))
                .map(each -> each.getKey() + ": " + each.getValue() + ", " + other.facts.get(each.getKey()))
                .toList();
    }
}
