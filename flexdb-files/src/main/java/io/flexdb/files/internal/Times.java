package io.flexdb.files.internal;

import java.nio.ByteBuffer;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;

/**
 * When something was created, modified and accessed: nanoseconds since 1970, of the years 1678 to 2261.
 *
 * @param accessed as it was set; reading does not change it
 */
public record Times(long created, long modified, long accessed) {
    static Times of(long now) {
        return new Times(now, now, now);
    }

    /** With those that are given; null for what stays. */
    public Times with(FileTime newModified, FileTime newAccessed, FileTime newCreated) {
        return new Times(
                newCreated == null ? created : nanos(newCreated),
                newModified == null ? modified : nanos(newModified),
                newAccessed == null ? accessed : nanos(newAccessed));
    }

    Times modified(long now) {
        return new Times(created, now, accessed);
    }

    /** Those before or after what can be told become the first or last that can. */
    private static long nanos(FileTime time) {
        return time.to(TimeUnit.NANOSECONDS);
    }

    /** A time as {@code java.nio.file} has it, of nanoseconds since 1970. */
    public static FileTime fileTime(long nanos) {
        return FileTime.from(nanos, TimeUnit.NANOSECONDS);
    }

    void put(ByteBuffer to) {
        to.putLong(created).putLong(modified).putLong(accessed);
    }

    static Times get(ByteBuffer from) {
        return new Times(from.getLong(), from.getLong(), from.getLong());
    }
}
