package io.flexdb.internal.open;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.Leases;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReaderLeaseTest {
    private static final Path DIRECTORY = Path.of("/store");

    private final SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
    private final long[] millis = {1_000_000};
    private final FoundLeases found = new FoundLeases(vfs, DIRECTORY, () -> millis[0]);

    private ReaderLease lease() {
        return new ReaderLease(vfs, DIRECTORY, () -> millis[0]);
    }

    private List<String> names() {
        return vfs.list(DIRECTORY);
    }

    @Test
    void theWriterFindsTheOldestStateOfAllReaders() {
        assertEquals(Leases.NONE, found.oldest());
        try (ReaderLease first = lease();
                ReaderLease second = lease()) {
            assertEquals(Leases.NONE, found.oldest());
            first.renew(999_000);
            second.renew(998_000);
            assertEquals(998_000, found.oldest());
            second.renew(999_500);
            assertEquals(999_000, found.oldest());
            assertEquals(2, names().size());
        }
        assertEquals(Leases.NONE, found.oldest());
        assertEquals(List.of(), names());
    }

    @Test
    void aLeaseEndsUnlessItIsRenewedAndIsDeletedThen() {
        ReaderLease lease = lease();
        lease.renew(999_000);
        assertFalse(lease.isDue());
        millis[0] += 25_000;
        assertTrue(lease.isDue());
        lease.renew(999_000);
        assertFalse(lease.isDue());
        millis[0] += 30_000;
        assertEquals(999_000, found.oldest());
        millis[0]++;
        assertEquals(Leases.NONE, found.oldest());
        assertEquals(List.of(), names());
        lease.close(); // of which nothing is left
    }

    @Test
    void aLeaseThatIsOverAndCannotBeDeletedHidesNoOther() {
        LeaseName over = new LeaseName(1, 998_000, millis[0] - 1);
        LeaseName valid = new LeaseName(2, 999_000, millis[0] + 1);
        ForwardingVfs ofAnotherUser = new ForwardingVfs(vfs) {
            @Override
            public List<String> list(Path directory) {
                return List.of(over.toString(), valid.toString(), over.toString());
            }

            @Override
            public boolean deleteIfExists(Path path) {
                throw new StoreIoException("delete", path, new IOException("Operation not permitted"));
            }
        };
        assertEquals(999_000, new FoundLeases(ofAnotherUser, DIRECTORY, () -> millis[0]).oldest());
    }

    @Test
    void aLeaseOfAClockThatHasJumpedDoesNotCount() {
        lease().renew(999_000);
        millis[0] -= 1;
        assertEquals(Leases.NONE, found.oldest());
        assertEquals(List.of(), names());
    }

    @Test
    void whereThereIsNoMemoryToLookThereAreNone() {
        lease().renew(999_000);
        ForwardingVfs full = new ForwardingVfs(vfs) {
            @Override
            public List<String> list(Path directory) {
                throw new OutOfMemoryError("of the test");
            }
        };
        assertEquals(Leases.NONE, new FoundLeases(full, DIRECTORY, () -> millis[0]).oldest());
        assertEquals(999_000, found.oldest());
    }

    @Test
    void namesOfOthersAreLeftAlone() {
        for (String name : List.of("reader-1", "reader-0000000000000001-0000000000000001-000000000000001", "data")) {
            vfs.open(DIRECTORY.resolve(name), OpenMode.CREATE).close();
            assertNull(LeaseName.of(name));
        }
        assertEquals(Leases.NONE, found.oldest());
        assertEquals(3, names().size());
        LeaseName name = new LeaseName(-5, 7, 1L << 62);
        assertEquals(name, LeaseName.of(name.toString()));
    }

    @Test
    void whereNobodyMayWriteThereIsNoLease() {
        try (ReaderLease lease = new ReaderLease(vfs, Path.of("/nowhere"), () -> millis[0])) {
            lease.renew(999_000);
            assertFalse(lease.isDue());
        }
        assertEquals(List.of(), names());
        FoundLeases nowhere = new FoundLeases(vfs, Path.of("/nowhere"), () -> millis[0]);
        assertEquals(Leases.NONE, nowhere.oldest());
    }
}
