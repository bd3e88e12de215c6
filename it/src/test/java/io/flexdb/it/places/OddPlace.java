package io.flexdb.it.places;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Where a JVM runs: its arguments, its environment, its limits and the file system of its temporary files. */
enum OddPlace {
    /** Digits that are not 0 to 9, the far end of the time zones, a charset of one byte, files closed to others. */
    FOREIGN_DIGITS(
            List.of(
                    "-Duser.language=ar",
                    "-Duser.country=EG",
                    "-Duser.timezone=Pacific/Kiritimati",
                    "-Dfile.encoding=ISO-8859-1"),
            Map.of(),
            "umask 077"),
    /** The I without a dot, the C locale, in which file names and text are ASCII, files open to all. */
    TURKISH(
            List.of("-Duser.language=tr", "-Duser.country=TR", "-Dfile.encoding=COMPAT"),
            Map.of("LC_ALL", "C"),
            "umask 000"),
    /** The operating system's messages in German, if it has them. */
    GERMAN_MESSAGES(List.of(), Map.of("LC_ALL", "C.UTF-8", "LANGUAGE", "de"), ""),
    /** Simulated files by the rules of Windows, for the tests that have such. */
    WINDOWS_FILES(List.of("-Dflexdb.test.files=windows"), Map.of(), ""),
    /** The descriptors of a careful service. */
    FEW_DESCRIPTORS(List.of(), Map.of(), "ulimit -n 64"),
    /** Direct memory is limited to as much. Too small for the files that most tests keep in memory. */
    HEAP_OF_64_MIB(List.of("-Xmx64m"), Map.of(), ""),
    /** Direct memory is limited to as much. */
    HEAP_OF_256_MIB(List.of("-Xmx256m"), Map.of(), ""),
    /** Files in memory, which have no blocks to force. */
    TMPFS("tmpfs"),
    /** A loop mount; needs root. */
    EXT4("ext4"),
    /** A loop mount; needs root. */
    XFS("xfs");

    /** Arguments of the JVM. */
    final List<String> arguments;
    /** What its environment has besides. */
    final Map<String, String> environment;
    /** What the shell that starts it does first. */
    final String shellCommand;
    /** The file system of its temporary files, null for that of this process. */
    final String fileSystem;

    OddPlace(List<String> arguments, Map<String, String> environment, String shellCommand) {
        this.arguments = arguments;
        this.environment = environment;
        this.shellCommand = shellCommand;
        this.fileSystem = null;
    }

    OddPlace(String fileSystem) {
        this.arguments = List.of();
        this.environment = Map.of();
        this.shellCommand = "";
        this.fileSystem = fileSystem;
    }

    /** Whether it is the language, the time zone or the charset that is odd. */
    boolean isLocale() {
        return ordinal() <= GERMAN_MESSAGES.ordinal();
    }

    /** The classes that {@link SuiteRunner} runs here. */
    String suite(boolean isShort) {
        return switch (this) {
            case HEAP_OF_64_MIB -> "ORDINARY"; // on files of the operating system
            case WINDOWS_FILES -> "FILES";
            default -> isShort ? "SHORT" : "ALL";
        };
    }

    /** Whether the temporary files need a file system of their own, which takes long and root to make. */
    boolean needsMount() {
        return fileSystem != null && !(this == TMPFS && Files.isWritable(Path.of("/dev/shm")));
    }
}
