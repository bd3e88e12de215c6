package io.flexdb.cli;

/** The exit codes of the command. Scripts rely on them. */
final class ExitCode {
    /** Everything was done. */
    static final int DONE = 0;

    /** The key or keyspace is not there; or a check has found damage; or a salvage has lost something. */
    static final int NOT_FOUND = 1;

    /** The arguments are wrong. Nothing was done. */
    static final int USAGE = 2;

    /** The store can't be opened: missing, in use, no store, of another release, or not readable. */
    static final int CANNOT_OPEN = 3;

    /** The store, backup or dump is damaged, and the command needs what is damaged. */
    static final int DAMAGED = 4;

    /** Anything else: a full disk, a failed read or write, a target that has something in it. */
    static final int FAILED = 5;

    /** Whoever reads the output has closed it. As a shell reports a process that SIGPIPE has ended. */
    static final int PIPE_CLOSED = 141;

    private ExitCode() {}
}
