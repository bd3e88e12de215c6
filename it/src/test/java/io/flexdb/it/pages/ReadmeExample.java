package io.flexdb.it.pages;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.WriteBatch;
import java.nio.file.Path;

/** The example of the README. */
final class ReadmeExample {
    private ReadmeExample() {}

    public static void main(String[] arguments) {
        try (FlexDB db = FlexDB.open(Path.of("data"))) { // a directory, which is made if it is missing
            db.put("apple".getBytes(UTF_8), "red".getBytes(UTF_8));
            WriteBatch batch = new WriteBatch().put("pear".getBytes(UTF_8), "green".getBytes(UTF_8));
            db.write(batch.delete("apple".getBytes(UTF_8))); // both changes, or none
            byte[] colour = db.get("pear".getBytes(UTF_8)); // null if absent
            try (FlexCursor cursor = db.cursor()) { // sees the store as it is now, whatever is written meanwhile
                for (cursor.seek("p".getBytes(UTF_8)); cursor.isValid(); cursor.next()) {
                    System.out.println(new String(cursor.key(), UTF_8));
                }
            }
        }
    }
}
