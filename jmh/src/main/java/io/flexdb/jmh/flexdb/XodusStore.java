package io.flexdb.jmh.flexdb;

import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.Store;
import jetbrains.exodus.env.StoreConfig;

/** Xodus, one transaction for each put, flushed to the operating system or, with sync, to the disk. */
final class XodusStore implements KeyValueStore {
    private final Environment environment;
    private final Store store;

    XodusStore(StoreSettings settings) {
        EnvironmentConfig config = new EnvironmentConfig()
                .setLogDurableWrite(settings.sync())
                .setMemoryUsage(Math.max(settings.cacheBytes(), 32L << 20));
        this.environment = Environments.newInstance(settings.directory().toFile(), config);
        this.store = environment.computeInTransaction(transaction ->
                environment.openStore("pairs", StoreConfig.WITHOUT_DUPLICATES_WITH_PREFIXING, transaction));
    }

    @Override
    public void put(byte[] key, byte[] value) {
        ArrayByteIterable keyBytes = new ArrayByteIterable(key.clone());
        ArrayByteIterable valueBytes = new ArrayByteIterable(value.clone());
        environment.executeInExclusiveTransaction(transaction -> store.put(transaction, keyBytes, valueBytes));
    }

    @Override
    public byte[] get(byte[] key) {
        return environment.computeInReadonlyTransaction(transaction -> {
            ByteIterable found = store.get(transaction, new ArrayByteIterable(key));
            return found == null ? null : copy(found);
        });
    }

    @Override
    public int scan(byte[] from, int pairs, boolean values, PairConsumer consumer) {
        return environment.computeInReadonlyTransaction(transaction -> {
            int done = 0;
            try (Cursor cursor = store.openCursor(transaction)) {
                boolean valid = cursor.getSearchKeyRange(new ArrayByteIterable(from)) != null;
                while (valid) {
                    consumer.accept(copy(cursor.getKey()), values ? copy(cursor.getValue()) : null);
                    valid = ++done < pairs && cursor.getNext();
                }
            }
            return done;
        });
    }

    private static byte[] copy(ByteIterable source) {
        byte[] bytes = new byte[source.getLength()];
        System.arraycopy(source.getBytesUnsafe(), 0, bytes, 0, bytes.length);
        return bytes;
    }

    @Override
    public void close() {
        environment.close();
    }
}
