package io.flexdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage in each file of a store is described, and never the end of the command by an exception. */
class DamageTest {
    private static final Set<Integer> EXPECTED =
            Set.of(ExitCode.DONE, ExitCode.NOT_FOUND, ExitCode.CANNOT_OPEN, ExitCode.DAMAGED);
    private static final List<String> COMMANDS = List.of("info", "check", "scan", "dump", "report", "verify");

    @TempDir
    private Path directory;

    /** Pairs in the space, and others in a write-ahead log alone, as after a kill. */
    private Path store() throws IOException {
        Path store = directory.resolve("store");
        Path copy = directory.resolve("copy");
        FlexDBOptions options = FlexDBOptions.defaults().withMemoryBytes(32 << 20);
        try (FlexDB db = FlexDB.open(store, options)) {
            byte[] value = new byte[1000];
            for (int i = 0; i < 1000; i++) {
                db.put(("key" + i).getBytes(StandardCharsets.UTF_8), value);
            }
            db.flush();
            db.createKeyspace("named");
            db.put("last".getBytes(StandardCharsets.UTF_8), value);
            db.sync();
            copy(store, copy);
        }
        return copy;
    }

    /** Copies the files of a store in use, as a kill would leave them: again, if it renames one meanwhile. */
    private static void copy(Path from, Path to) throws IOException {
        for (int tries = 1; !isCopied(from, to); tries++) {
            assertTrue(tries < 100, "the store renames its files all the time");
        }
    }

    private static boolean isCopied(Path from, Path to) throws IOException {
        delete(to);
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else if (!file.endsWith("LOCK")) {
                    Files.copy(file, target);
                }
            }
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                return false;
            }
            throw e;
        }
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void flippedBytesAreDescribed() throws IOException {
        Path store = store();
        Random random = new Random(7);
        int damaged = 0;
        for (String name : StoreFiles.sizes(store).keySet()) {
            Path broken = directory.resolve("broken-" + name.replace('/', '-'));
            copy(store, broken);
            flip(broken.resolve(name), random);
            damaged += run(broken);
        }
        assertTrue(damaged >= 4, damaged + " of the runs found damage");
    }

    @Test
    void filesCutShortAndMissingAreDescribed() throws IOException {
        Path store = store();
        for (String name : StoreFiles.sizes(store).keySet()) {
            Path cut = directory.resolve("cut-" + name.replace('/', '-'));
            copy(store, cut);
            byte[] bytes = Files.readAllBytes(cut.resolve(name));
            Files.write(cut.resolve(name), Arrays.copyOf(bytes, bytes.length / 2));
            run(cut);
            Path missing = directory.resolve("missing-" + name.replace('/', '-'));
            copy(store, missing);
            Files.delete(missing.resolve(name));
            run(missing);
        }
    }

    private static void flip(Path file, Random random) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 0; i < bytes.length; i += 512) {
            bytes[Math.min(bytes.length - 1, i + random.nextInt(512))] ^= 0x55;
        }
        Files.write(file, bytes);
    }

    /** Runs all commands; returns how many found damage. */
    private int run(Path store) throws IOException {
        int found = 0;
        for (String command : COMMANDS) {
            Path target = directory.resolve("target-" + store.getFileName() + command);
            Object[] arguments = command.equals("dump") || command.equals("report")
                    ? new Object[] {command, store, target}
                    : new Object[] {command, store};
            Tool.Result result = Tool.run(arguments).requireNoTrace();
            assertTrue(EXPECTED.contains(result.code()), command + " of " + store + ": " + result);
            if (result.code() != ExitCode.DONE) {
                found++;
                assertNotEquals("", result.out() + result.err());
            }
            if (command.equals("dump")) {
                assertEquals(result.code() == ExitCode.DONE, Files.exists(target), store.toString());
            }
        }
        return found;
    }
}
