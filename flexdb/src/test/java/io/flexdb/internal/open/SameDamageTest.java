package io.flexdb.internal.open;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.ReaderOvertakenException;
import io.flexdb.storage.StorageException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** When it is damage that a reader has come upon twice, and not a place that was used again (B2 of FollowedStore). */
class SameDamageTest {
    private static StorageException overtaken(String file, long position, String expected, String found) {
        return new ReaderOvertakenException(1, new CorruptionException(Path.of(file), position, expected, found));
    }

    @Test
    void onlyTheSameFrameInTheSameLifeOfItsSegmentIsTheSame() {
        StorageException first = overtaken("/data", 512, "checksum 1 of generation 3", "2");
        assertFalse(FollowedStore.isSameDamage(first, null));
        assertTrue(FollowedStore.isSameDamage(first, overtaken("/data", 512, "checksum 1 of generation 3", "2")));
        assertTrue(FollowedStore.isSameDamage(first, overtaken("/data", 512, "checksum 1 of generation 3", "7")));
        assertFalse(FollowedStore.isSameDamage(first, overtaken("/data", 512, "checksum 1 of generation 4", "2")));
        assertFalse(FollowedStore.isSameDamage(first, overtaken("/data", 1024, "checksum 1 of generation 3", "2")));
        assertFalse(FollowedStore.isSameDamage(first, overtaken("/other", 512, "checksum 1 of generation 3", "2")));
        assertFalse(FollowedStore.isSameDamage(first, new ReaderOvertakenException(1, null)));
        assertFalse(FollowedStore.isSameDamage(new ReaderOvertakenException(1, null), first));
    }
}
