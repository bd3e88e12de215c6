package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.FlexDB;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that depends on FlexDB and not on Agrona. */
class WithoutAgronaTest {
    @Test
    void aStoreWorksWhereThereIsNoAgrona(@TempDir Path temporary) {
        assertThrows(ClassNotFoundException.class, () -> Class.forName("org.agrona.DirectBuffer"));
        byte[] key = {1};
        try (FlexDB db = FlexDB.open(temporary.resolve("store"))) {
            db.put(key, key);
            assertArrayEquals(key, db.get(key));
        }
    }
}
