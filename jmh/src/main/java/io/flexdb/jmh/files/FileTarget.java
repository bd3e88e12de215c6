package io.flexdb.jmh.files;

import java.io.IOException;

/** What is done with files; paths begin with a slash. For one thread. */
interface FileTarget extends AutoCloseable {
    void createDirectory(String path) throws IOException;

    /** Makes a file with all that it has. */
    void createFile(String path, byte[] content) throws IOException;

    /** How many entries are below a directory, as {@code find} counts them: by names and kinds alone. */
    long find(String path) throws IOException;

    /** How many entries a directory has, as {@code ls} lists them. */
    long list(String path) throws IOException;

    /** The sum of their lengths, as {@code ls -l} lists them, which tells times, too. */
    long listLong(String path) throws IOException;

    /** The length of a file. */
    long stat(String path) throws IOException;

    /** Reads all files below a directory. */
    void readTree(String path, Reader reader) throws IOException;

    byte[] read(String path) throws IOException;

    /** Opens a file for writing and reading, and makes it if there is none. */
    Content open(String path) throws IOException;

    void rename(String from, String to) throws IOException;

    /** Deletes a directory with all that is below it. */
    void deleteTree(String path) throws IOException;

    /** Takes a file's name and what it has. */
    @FunctionalInterface
    interface Reader {
        void accept(String name, byte[] content);
    }

    /** What an open file has. */
    interface Content extends AutoCloseable {
        void write(long position, byte[] bytes) throws IOException;

        /** Fills an array from a position on. */
        void read(long position, byte[] bytes) throws IOException;

        @Override
        void close() throws IOException;
    }

    @Override
    void close() throws IOException;
}
