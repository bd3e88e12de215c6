package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBReader;
import io.flexdb.storage.StorageException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Users beside the owner of a store. To be another user takes root, and the program setpriv. */
@EnabledOnOs(OS.LINUX)
class OtherUserTest {
    private static final int USER = 65_534;
    private static final int GROUP = 54_321;
    private static final FlexDBOptions SMALL = FlexDBOptions.defaults()
            .withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES)
            .withCacheBytes(1 << 20);
    private static final FlexDBOptions READABLE = SMALL.withReadableByGroup(true);

    @TempDir
    private static Path shared;

    @TempDir
    private Path directory;

    private Path store;

    /** Reads a store, or tries to write to it, and says how that went. */
    static final class Other {
        private Other() {}

        public static void main(String[] arguments) {
            Path store = Path.of(arguments[0]);
            try {
                if (arguments[1].equals("write")) {
                    FlexDB.open(store).close();
                    System.out.println("written");
                    return;
                }
                try (FlexDBReader reader = FlexDB.openReadOnly(store, SMALL)) {
                    byte[] value = reader.get(bytes("key999"));
                    System.out.println(new String(value, 0, 6, StandardCharsets.US_ASCII));
                }
            } catch (StorageException e) {
                System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Brings the classes to where anybody may read them. */
    @BeforeAll
    static void copyClasses() throws IOException {
        assumeTrue(Files.exists(Path.of("/usr/bin/setpriv")) && isRoot(), "it takes root and setpriv");
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));
        int number = 0;
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path source = Path.of(entry);
            String name = source.getFileName().toString();
            boolean ours = Files.isDirectory(source) || name.startsWith("flex");
            if (ours && Files.exists(source)) {
                copy(source, shared.resolve(number++ + "-" + name));
            }
        }
    }

    private static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Path copied = to.resolve(from.relativize(path).toString());
                Files.copy(path, Files.isSameFile(path, from) ? to : copied);
                Files.setPosixFilePermissions(
                        Files.isSameFile(path, from) ? to : copied,
                        PosixFilePermissions.fromString(Files.isDirectory(path) ? "rwxr-xr-x" : "rw-r--r--"));
            }
        }
    }

    private String ask(String what, boolean inGroup) throws Exception {
        List<String> classPath = new ArrayList<>();
        try (Stream<Path> entries = Files.list(shared)) {
            entries.forEach(entry -> classPath.add(entry.toString()));
        }
        List<String> command = new ArrayList<>(List.of("/usr/bin/setpriv", "--reuid=" + USER, "--regid=" + USER));
        command.add(inGroup ? "--groups=" + GROUP : "--clear-groups");
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                String.join(File.pathSeparator, classPath),
                Other.class.getName(),
                store.toString(),
                what));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output.strip();
    }

    /** A directory whose files get the group. */
    private void makeDirectory() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        store = Files.createDirectory(directory.resolve("store"));
        Files.setAttribute(store, "unix:gid", GROUP);
        Files.setAttribute(store, "unix:mode", 02700);
    }

    private static void fill(FlexDB db) {
        for (int i = 0; i < 1000; i++) {
            db.put(bytes("key" + i), bytes("value " + " ".repeat(300)));
        }
    }

    @Test
    void aReaderOfTheGroupWorksBesideTheWriterIfTheStoreSaysSo() throws Exception {
        makeDirectory();
        try (FlexDB db = FlexDB.open(store, READABLE)) {
            fill(db);
            assertEquals("value", ask("read", true));
            fill(db);
            String denied = ask("write", true);
            assertTrue(denied.startsWith("StoreIoException") && denied.contains("may not write"), denied);
            denied = ask("read", false);
            assertTrue(denied.startsWith("StoreIoException"), denied);
            assertTrue(denied.contains("may not search " + store + ", which is "), denied);
        }
        assertEquals("value", ask("read", true));
    }

    @Test
    void aStoreIsForItsOwnerUntilItIsOpenedOtherwise() throws Exception {
        makeDirectory();
        try (FlexDB db = FlexDB.open(store, SMALL)) {
            fill(db);
            String denied = ask("read", true);
            assertTrue(denied.startsWith("StoreIoException") && denied.contains("may not search"), denied);
        }
        Files.setAttribute(store, "unix:mode", 02750);
        String denied = ask("read", true);
        assertTrue(denied.startsWith("StoreIoException"), denied);
        assertTrue(denied.contains("may not read " + store.resolve("flexdb.options")), denied);
        try (FlexDB db = FlexDB.open(store, READABLE)) {
            assertEquals("value", ask("read", true));
            fill(db);
            assertEquals("value", ask("read", true));
        }
        assertEquals(02750, (int) Files.getAttribute(store, "unix:mode") & 07777);
    }
}
