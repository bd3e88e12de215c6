package io.flexdb.internal.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.storage.CorruptionException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup all files of which are as they were made, and which lacks writes that its manifest says it has. */
class LackingWritesTest {
    @TempDir
    Path temporary;

    @Test
    void verifyTellsOfThemAndNothingIsRestored() {
        Path path = temporary.resolve("backups");
        Vfs vfs = new RealVfs();
        try (FlexDB db = FlexDB.open(temporary.resolve("store"));
                FlexDBBackups backups = FlexDBBackups.open(path)) {
            for (int i = 0; i < 40; i++) {
                db.put(("key" + i).getBytes(StandardCharsets.US_ASCII), new byte[20]);
            }
            assertEquals(40, backups.create(db).sequence());
            assertEquals(List.of(), backups.verify(1));
            Path manifest = path.resolve("1/manifest");
            Manifest was = Manifest.read(vfs, manifest);
            Manifest.Summary of = was.summary();
            Manifest.Summary changed = new Manifest.Summary(of.id(), of.time(), 41, of.newBytes());
            new Manifest(changed, was.format(), was.files(), was.segments()).write(vfs, manifest.getParent());
            assertEquals(1, backups.verify(1).size());
            assertEquals("none behind 40", backups.verify(1).get(0).found());
            Path target = temporary.resolve("restored");
            assertThrows(CorruptionException.class, () -> backups.restore(1, target));
            assertFalse(Files.exists(target));
            assertEquals(2, backups.create(db).id());
            assertEquals(1, backups.keepLast(1));
            assertEquals(List.of(), backups.verify(2));
        }
    }
}
