package io.flexdb.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Optional;

/**
 * Tells which process has a store open, without touching its lock: from the directory's attribute, else from the lock
 * file. Only the holder's own process must not read the lock file, since closing it could end the lock.
 */
final class Holders {
    private static final String ATTRIBUTE = "flexdb.holder";
    private static final int MAX_BYTES = 4096;

    private Holders() {}

    /** The living process that has the store open, in words; empty if none has, as far as can be told. */
    static Optional<String> of(Path directory) {
        Optional<ProcessHandle> holder =
                record(directory).flatMap(Holders::number).flatMap(ProcessHandle::of);
        return holder.filter(ProcessHandle::isAlive).map(Holders::text);
    }

    private static Optional<String> record(Path directory) {
        Optional<String> attribute = attribute(directory);
        return attribute.isPresent() ? attribute : lockFile(directory.resolve("LOCK"));
    }

    private static Optional<String> attribute(Path directory) {
        UserDefinedFileAttributeView view = Files.getFileAttributeView(directory, UserDefinedFileAttributeView.class);
        try {
            if (view == null || !view.list().contains(ATTRIBUTE) || view.size(ATTRIBUTE) > MAX_BYTES) {
                return Optional.empty();
            }
            ByteBuffer content = ByteBuffer.allocate(view.size(ATTRIBUTE));
            view.read(ATTRIBUTE, content);
            return Optional.of(new String(content.array(), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return Optional.empty(); // a file system without attributes
        }
    }

    private static Optional<String> lockFile(Path file) {
        try {
            return Files.isRegularFile(file) && Files.size(file) <= MAX_BYTES
                    ? Optional.of(Files.readString(file, StandardCharsets.ISO_8859_1))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // not ours to read
        }
    }

    private static Optional<Long> number(String record) {
        String first = record.strip().split("\n", 2)[0].strip();
        return first.matches("[0-9]{1,18}") ? Optional.of(Long.valueOf(first)) : Optional.empty();
    }

    private static String text(ProcessHandle process) {
        String command = process.info().command().map(name -> " (" + name + ")").orElse("");
        return "process " + process.pid() + command;
    }

    /** The program of a holder such as "process 4711", to be added to a message; empty if that is not known. */
    static String named(String holder) {
        if (!holder.matches("process [0-9]{1,18}")) {
            return "";
        }
        return ProcessHandle.of(Long.parseLong(holder.substring("process ".length())))
                .flatMap(process -> process.info().command())
                .map(command -> ". That process runs " + command)
                .orElse("");
    }
}
