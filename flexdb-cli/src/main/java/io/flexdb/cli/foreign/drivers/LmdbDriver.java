package io.flexdb.cli.foreign.drivers;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.cli.foreign.ForeignDriver;
import io.flexdb.cli.foreign.ForeignStore;
import io.flexdb.cli.foreign.ForeignStoreException;
import io.flexdb.cli.foreign.ForeignStoreException.Reason;
import io.flexdb.cli.foreign.ForeignType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.lmdbjava.ByteArrayProxy;
import org.lmdbjava.CursorIterable;
import org.lmdbjava.CursorIterable.KeyVal;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.LmdbException;
import org.lmdbjava.LmdbNativeException;
import org.lmdbjava.Txn;

/**
 * Reads LMDB, as one read transaction sees it. Each named database is a keyspace; pairs of the unnamed one go to the
 * default keyspace.
 *
 * <p>LMDB maps the file and trusts it. What can be seen to be wrong is refused: a file shorter than its head says, as
 * reading behind the end would end the JVM.
 */
public final class LmdbDriver implements ForeignDriver {
    private static final int MAX_DATABASES = 4096;
    private static final int DATABASE_BYTES = 48; // what the unnamed database has for a named one

    @Override
    public ForeignStore open(Path source, ForeignType keyType, ForeignType valueType) {
        boolean isDirectory = Files.isDirectory(source);
        Path file = isDirectory ? source.resolve("data.mdb") : source;
        if (!Files.isRegularFile(file)) {
            throw new ForeignStoreException(
                    Reason.CANNOT_OPEN, source + " is no store of LMDB: " + file + " is missing", null);
        }
        Path lock = isDirectory ? source.resolve("lock.mdb") : Path.of(source + "-lock");
        Set<EnvFlags> flags = EnumSet.of(EnvFlags.MDB_RDONLY_ENV, EnvFlags.MDB_NORDAHEAD);
        if (!isDirectory) {
            flags.add(EnvFlags.MDB_NOSUBDIR);
        }
        if (!Files.exists(lock)) {
            flags.add(EnvFlags.MDB_NOLOCK); // nobody writes, and none is made
        }
        try {
            Env<byte[]> env = Env.create(ByteArrayProxy.PROXY_BA)
                    .setMaxDbs(MAX_DATABASES)
                    .open(source.toFile(), flags.toArray(EnvFlags[]::new));
            return new Store(source, file, env);
        } catch (Env.FileInvalidException | Env.VersionMismatchException e) {
            throw new ForeignStoreException(
                    Reason.CANNOT_OPEN, file + " is no file of LMDB, or its head is damaged: " + e.getMessage(), e);
        } catch (LmdbException e) {
            throw failure(source, e, Reason.CANNOT_OPEN);
        } catch (IllegalArgumentException e) {
            throw new ForeignStoreException(Reason.CANNOT_OPEN, source + ": " + e.getMessage(), e);
        }
    }

    private static ForeignStoreException failure(Path source, LmdbException e, Reason otherwise) {
        boolean isDamaged = e instanceof LmdbNativeException.PageCorruptedException
                || e instanceof LmdbNativeException.PageNotFoundException
                || e instanceof LmdbNativeException.PanicException;
        Reason reason = isDamaged ? Reason.DAMAGED : otherwise;
        return new ForeignStoreException(reason, source + ": LMDB says: " + e.getMessage(), e);
    }

    private static final class Store implements ForeignStore {
        private final Path source;
        private final Env<byte[]> env;
        private final TreeMap<String, Dbi<byte[]>> databases = new TreeMap<>();
        private Txn<byte[]> txn;

        Store(Path source, Path file, Env<byte[]> env) {
            this.source = source;
            this.env = env;
            try {
                requireWhole(file);
                txn = env.txnRead();
                findDatabases();
            } catch (LmdbException e) {
                close();
                throw failure(source, e, Reason.DAMAGED);
            } catch (RuntimeException e) {
                close();
                throw e;
            }
        }

        private void requireWhole(Path file) {
            long expected = (env.info().lastPageNumber + 1) * env.stat().pageSize;
            long found;
            try {
                found = Files.size(file);
            } catch (IOException e) {
                throw new ForeignStoreException(Reason.CANNOT_OPEN, file + " can't be read: " + e.getMessage(), e);
            }
            if (found < expected) {
                throw new ForeignStoreException(
                        Reason.DAMAGED,
                        file + " is damaged: expected at least " + expected + " bytes, found " + found,
                        null);
            }
        }

        /** A named database is a pair of the unnamed one, with a value of a known length and a flag of its own. */
        private void findDatabases() {
            Dbi<byte[]> unnamed = env.openDbi(txn, null, null, false);
            boolean hasPairs = false;
            try (CursorIterable<byte[]> pairs = unnamed.iterate(txn)) {
                for (KeyVal<byte[]> pair : pairs) {
                    if (pair.val().length != DATABASE_BYTES || !isDatabase(pair.key())) {
                        hasPairs = true;
                    }
                }
            }
            if (hasPairs || databases.isEmpty()) {
                databases.put(DEFAULT, unnamed);
            }
        }

        private boolean isDatabase(byte[] name) {
            try {
                databases.put(text(name), env.openDbi(txn, name, null, false));
                return true;
            } catch (Dbi.IncompatibleException | Dbi.KeyNotFoundException e) {
                return false;
            }
        }

        private static String text(byte[] name) {
            return new String(name, UTF_8);
        }

        @Override
        public List<String> names() {
            return List.copyOf(databases.keySet());
        }

        @Override
        public long pairs(String name) {
            return databases.get(name).stat(txn).entries;
        }

        @Override
        public void read(String name, Target target) throws IOException {
            Dbi<byte[]> database = databases.get(name);
            if (database.listFlags(txn).contains(DbiFlags.MDB_DUPSORT)) {
                throw new ForeignStoreException(
                        Reason.NOT_SUPPORTED,
                        source + ": database " + name
                                + " has several values for a key (MDB_DUPSORT); a keyspace has one:"
                                + " make keys of key and value by a program",
                        null);
            }
            try (CursorIterable<byte[]> pairs = database.iterate(txn)) {
                for (KeyVal<byte[]> pair : pairs) {
                    if (isNamedDatabase(name, pair)) {
                        continue;
                    }
                    if (!target.pair(pair.key(), pair.val())) {
                        return;
                    }
                }
            } catch (LmdbException e) {
                throw failure(source, e, Reason.DAMAGED);
            }
        }

        private boolean isNamedDatabase(String name, KeyVal<byte[]> pair) {
            if (!name.equals(DEFAULT) || pair.val().length != DATABASE_BYTES) {
                return false;
            }
            Dbi<byte[]> database = databases.get(text(pair.key()));
            return database != null && Arrays.equals(database.getName(), pair.key());
        }

        @Override
        public void close() {
            if (txn != null) {
                txn.close();
            }
            env.close();
        }
    }
}
