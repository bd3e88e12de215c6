package io.flexdb.jmh.flexdb;

/** An experiment has taken longer than it may, and what would follow it needs all of it. */
final class LimitReachedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LimitReachedException(String message) {
        super(message);
    }
}
