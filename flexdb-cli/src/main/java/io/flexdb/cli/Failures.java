package io.flexdb.cli;

import io.flexdb.cli.foreign.ForeignStoreException;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StoreLockedException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Exceptions as messages and exit codes. */
final class Failures {
    private Failures() {}

    /** The exit code for a failure. */
    static int exitCode(Throwable failure) {
        if (failure instanceof CommandFailure known) {
            return known.exitCode();
        }
        if (failure instanceof ForeignStoreException foreign) {
            return switch (foreign.reason()) {
                case CANNOT_OPEN -> ExitCode.CANNOT_OPEN;
                case DAMAGED -> ExitCode.DAMAGED;
                case NOT_SUPPORTED -> ExitCode.FAILED;
            };
        }
        if (failure instanceof StoreLockedException
                || failure instanceof NotAStoreException
                || failure instanceof UnsupportedFormatException) {
            return ExitCode.CANNOT_OPEN;
        }
        if (failure instanceof CorruptionException) {
            return ExitCode.DAMAGED;
        }
        if (failure instanceof NoSuchKeyspaceException) {
            return ExitCode.NOT_FOUND;
        }
        return failure instanceof IllegalArgumentException ? ExitCode.USAGE : ExitCode.FAILED;
    }

    /** One sentence or two for the user: the failure, and the way out. */
    static String message(Throwable failure) {
        if (failure instanceof StoreLockedException locked) {
            return locked.getMessage() + Holders.named(locked.holder());
        }
        if (failure instanceof FileSystemException e) {
            return message(e);
        }
        if (failure instanceof OutOfMemoryError) {
            return "not enough memory (" + failure.getMessage() + "); raise it, for example FLEXDB_JAVA_OPTIONS=-Xmx4g";
        }
        String message = failure.getMessage();
        return message == null || message.isBlank()
                ? "unexpected " + failure.getClass().getName() + "; run it again with --debug, and report it"
                : message;
    }

    private static String message(FileSystemException e) {
        if (e instanceof NoSuchFileException) {
            return e.getFile() + " does not exist";
        }
        if (e instanceof AccessDeniedException) {
            return e.getFile() + " can't be read or written: permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return e.getFile() + " exists already; give another name, or remove it";
        }
        return e.getMessage();
    }
}
