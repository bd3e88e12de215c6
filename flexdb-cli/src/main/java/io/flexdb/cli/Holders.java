package io.flexdb.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells which process has a store open, without touching its lock: from the directory's attribute, else from the lock
 * file. Only the holder's own process must not read the lock file, since closing it could end the lock.
 */
final class Holders {
    private static final String ATTRIBUTE = "flexdb.holder";
    private static final int MAX_BYTES = 4096;
    private static final int START_FIELD = 19; // behind the name of the program in /proc/<number>/stat

    /** The number of a process, and behind it its start time where the system tells that. */
    private static final Pattern RECORD = Pattern.compile("(?m)^([0-9]{1,18})$(?:\\R([0-9]+) )?");

    private Holders() {}

    /** The living process that has the store open, in words; empty if none has, as far as can be told. */
    static Optional<String> of(Path directory) {
        return attribute(directory)
                .or(() -> lockFile(directory.resolve("LOCK")))
                .map(RECORD::matcher)
                .filter(Matcher::find)
                .flatMap(record -> living(Long.parseLong(record.group(1)), record.group(2)))
                .map(Holders::text);
    }

    /** The process, unless its number has been given to another one since. */
    private static Optional<ProcessHandle> living(long number, String start) {
        Optional<String> now = startOnLinux(number);
        boolean isAnother = start != null && now.isPresent() && !now.get().equals(start);
        return isAnother ? Optional.empty() : ProcessHandle.of(number).filter(ProcessHandle::isAlive);
    }

    private static Optional<String> startOnLinux(long number) {
        try {
            String stat = Files.readString(Path.of("/proc/" + number + "/stat"), StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
            return fields.length > START_FIELD ? Optional.of(fields[START_FIELD]) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // another system
        }
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
