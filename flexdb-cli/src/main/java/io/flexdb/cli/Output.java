package io.flexdb.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Standard output: buffered, in UTF-8 whatever the locale, and with errors that are seen. A {@link java.io.PrintStream}
 * would go on writing to a closed pipe, and hide a full disk.
 */
final class Output {
    private static final int BUFFER_BYTES = 64 << 10;

    private final OutputStream out;

    Output(OutputStream out) {
        this.out = new BufferedOutputStream(out, BUFFER_BYTES);
    }

    /** Writes a line. */
    void line(String text) {
        text(text + "\n");
    }

    /** Writes text without the end of a line. */
    void text(String text) {
        bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes bytes as they are. */
    void bytes(byte[] bytes) {
        try {
            out.write(bytes);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** Hands everything over. */
    void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** This output as a stream; closing it flushes. */
    OutputStream stream() {
        return new OutputStream() {
            @Override
            public void write(int value) {
                bytes(new byte[] {(byte) value});
            }

            @Override
            public void write(byte[] bytes, int from, int length) {
                try {
                    out.write(bytes, from, length);
                } catch (IOException e) {
                    throw failure(e);
                }
            }

            @Override
            public void flush() {
                Output.this.flush();
            }

            @Override
            public void close() {
                Output.this.flush();
            }
        };
    }

    private static CommandFailure failure(IOException e) {
        String message = String.valueOf(e.getMessage());
        boolean isClosed = message.contains("Broken pipe") || message.contains("pipe is being closed");
        return new CommandFailure(
                isClosed ? ExitCode.PIPE_CLOSED : ExitCode.FAILED,
                "writing to standard output failed: " + message + "; the output is not complete",
                e);
    }
}
