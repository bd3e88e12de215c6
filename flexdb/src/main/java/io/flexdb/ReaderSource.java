package io.flexdb;

import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.base.Operations;
import io.flexdb.internal.open.FollowedState;
import io.flexdb.internal.open.FollowedStore;
import io.flexdb.internal.read.HolderKind;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.internal.read.StoreReader;
import java.nio.file.Path;

/** What the views of a {@link FlexDBReader} read from: the newest state, whichever that is. */
final class ReaderSource implements ReadSource {
    /** One state of a reader, for as long as a snapshot of it is open. */
    private record OfState(ReaderSource all, FollowedState state) implements ReadSource {
        @Override
        public StoreReader reader() {
            all.store.merges().requireOutside();
            return state.reader();
        }

        @Override
        public StoreReader reader(Snapshot snapshot) {
            return reader();
        }

        @Override
        public Operations operations() {
            return all.operations;
        }

        @Override
        public Path dataFile() {
            return all.dataFile();
        }

        @Override
        public Vfs vfs() {
            return all.vfs();
        }

        @Override
        public long storeId() {
            return all.storeId();
        }
    }

    final FollowedStore store;
    private final Operations operations = new Operations();

    ReaderSource(FollowedStore store) {
        this.store = store;
    }

    @Override
    public StoreReader reader() {
        store.merges().requireOutside();
        return store.current().reader();
    }

    @Override
    public Operations operations() {
        return operations;
    }

    @Override
    public StoreReader reader(Snapshot snapshot) {
        if (snapshot.source instanceof OfState one && one.all == this) {
            return one.reader();
        }
        throw new IllegalArgumentException(snapshot + " is not of this reader");
    }

    @Override
    public Path dataFile() {
        return store.dataFile();
    }

    @Override
    public Vfs vfs() {
        return store.filesBeside();
    }

    @Override
    public long storeId() {
        return store.storeId();
    }

    /** What is newest, as it is now. */
    Snapshot snapshot() {
        while (true) {
            FollowedState state = store.current();
            PinnedVersion pin = state.pin(HolderKind.SNAPSHOT);
            if (state == store.current()) { // so its files are kept from here on
                return new Snapshot(new OfState(this, state), pin);
            }
            pin.close();
        }
    }
}
