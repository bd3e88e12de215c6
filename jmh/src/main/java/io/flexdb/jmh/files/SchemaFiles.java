package io.flexdb.jmh.files;

import io.flexdb.jmh.flexdb.KeyValueStore;
import io.flexdb.jmh.flexdb.OrderedStore;
import io.flexdb.jmh.flexdb.OrderedStore.Changes;
import io.flexdb.jmh.flexdb.OrderedStore.Space;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The schema of {@code flexdb-files} in its bare form, the same code for all stores: parent's number and name lead to
 * attributes and small contents, file's number and block's number to blocks. No locks, and nothing of {@code java.nio};
 * numbers of directories by path are kept in memory, as a kernel does. For one thread.
 */
final class SchemaFiles implements FileTarget {
    private static final int ID_BYTES = Long.BYTES;
    private static final byte DIRECTORY = 1;
    private static final byte FILE = 2;
    private static final int HEAD_BYTES = 1 + 5 * Long.BYTES; // kind, number, three times, length
    private static final int DELETED_AT_ONCE = 1000; // ranges of one batch
    private static final long ROOT = 1;

    private final KeyValueStore opened;
    private final OrderedStore store; // in it
    private final int blockBytes;
    private final int smallBytes;
    private final Map<String, Long> directories = new HashMap<>();
    private long nextId = ROOT + 1;

    /** @param opened for {@link io.flexdb.jmh.flexdb.Use#FILES}; is closed with this */
    SchemaFiles(KeyValueStore opened, int blockBytes, int smallBytes) {
        this.opened = opened;
        this.store = opened.ordered();
        this.blockBytes = blockBytes;
        this.smallBytes = smallBytes;
        directories.put("", ROOT);
        directories.put("/", ROOT);
    }

    // ---- pairs

    private record Entry(byte kind, long id, long length, byte[] content) {
        boolean isDirectory() {
            return kind == DIRECTORY;
        }

        boolean isSmall() {
            return content.length == length;
        }
    }

    private static byte[] key(long id) {
        return ByteBuffer.allocate(ID_BYTES).putLong(id).array();
    }

    private static byte[] key(long directory, String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(ID_BYTES + text.length)
                .putLong(directory)
                .put(text)
                .array();
    }

    private static byte[] blockKey(long file, long block) {
        return ByteBuffer.allocate(ID_BYTES + Integer.BYTES)
                .putLong(file)
                .putInt((int) block)
                .array();
    }

    private static byte[] encode(byte kind, long id, long length, byte[] content) {
        long now = System.currentTimeMillis();
        return ByteBuffer.allocate(HEAD_BYTES + content.length)
                .put(kind)
                .putLong(id)
                .putLong(now)
                .putLong(now)
                .putLong(now)
                .putLong(length)
                .put(content)
                .array();
    }

    private static Entry decode(byte[] value) {
        ByteBuffer from = ByteBuffer.wrap(value);
        byte kind = from.get();
        long id = from.getLong();
        long length = from.getLong(HEAD_BYTES - Long.BYTES);
        return new Entry(kind, id, length, Arrays.copyOfRange(value, HEAD_BYTES, value.length));
    }

    private static String name(byte[] key) {
        return new String(key, ID_BYTES, key.length - ID_BYTES, StandardCharsets.UTF_8);
    }

    private static String parent(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }

    private byte[] keyOf(String path) throws NoSuchFileException {
        return key(directory(parent(path)), path.substring(path.lastIndexOf('/') + 1));
    }

    private long directory(String path) throws NoSuchFileException {
        Long known = directories.get(path);
        if (known == null) {
            known = entry(path).id;
            directories.put(path, known);
        }
        return known;
    }

    private Entry entry(String path) throws NoSuchFileException {
        byte[] value = store.get(Space.ENTRIES, keyOf(path));
        if (value == null) {
            throw new NoSuchFileException(path);
        }
        return decode(value);
    }

    // ---- operations

    @Override
    public void createDirectory(String path) throws IOException {
        create(path, encode(DIRECTORY, nextId++, 0, new byte[0]), new Changes());
    }

    @Override
    public void createFile(String path, byte[] content) throws IOException {
        long id = nextId++;
        boolean small = content.length <= smallBytes;
        Changes changes = new Changes();
        for (int at = 0; at < content.length && !small; at += blockBytes) {
            byte[] block = Arrays.copyOfRange(content, at, Math.min(content.length, at + blockBytes));
            changes.put(Space.BLOCKS, blockKey(id, at / blockBytes), block);
        }
        create(path, encode(FILE, id, content.length, small ? content : new byte[0]), changes);
    }

    private void create(String path, byte[] value, Changes changes) throws IOException {
        byte[] key = keyOf(path);
        if (store.get(Space.ENTRIES, key) != null) {
            throw new java.nio.file.FileAlreadyExistsException(path);
        }
        store.write(changes.put(Space.ENTRIES, key, value));
    }

    private interface EntryVisitor {
        void accept(String name, Entry entry);
    }

    private void scan(long directory, EntryVisitor visitor) {
        store.scan(
                Space.ENTRIES,
                key(directory),
                key(directory + 1),
                (key, value) -> visitor.accept(name(key), decode(value)));
    }

    @Override
    public long find(String path) throws IOException {
        long[] count = {0};
        Deque<Long> left = new ArrayDeque<>(List.of(directory(path)));
        while (!left.isEmpty()) {
            scan(left.pop(), (name, entry) -> {
                count[0]++;
                if (entry.isDirectory()) {
                    left.push(entry.id);
                }
            });
        }
        return count[0];
    }

    @Override
    public long list(String path) throws IOException {
        long[] count = {0};
        scan(directory(path), (name, entry) -> count[0]++);
        return count[0];
    }

    @Override
    public long listLong(String path) throws IOException {
        long[] bytes = {0};
        scan(directory(path), (name, entry) -> bytes[0] += entry.length);
        return bytes[0];
    }

    @Override
    public long stat(String path) throws IOException {
        return entry(path).length;
    }

    @Override
    public void readTree(String path, Reader reader) throws IOException {
        Deque<Long> left = new ArrayDeque<>(List.of(directory(path)));
        while (!left.isEmpty()) {
            scan(left.pop(), (name, entry) -> {
                if (entry.isDirectory()) {
                    left.push(entry.id);
                } else {
                    reader.accept(name, content(entry));
                }
            });
        }
    }

    private byte[] content(Entry entry) {
        if (entry.isSmall()) {
            return entry.content;
        }
        byte[] content = new byte[Math.toIntExact(entry.length)];
        readBlocks(entry.id, 0, content);
        return content;
    }

    private void readBlocks(long id, long position, byte[] to) {
        long first = position / blockBytes;
        long last = (position + to.length - 1) / blockBytes;
        store.scan(Space.BLOCKS, blockKey(id, first), blockKey(id, last + 1), (key, value) -> {
            long begin = (long) ByteBuffer.wrap(key).getInt(ID_BYTES) * blockBytes;
            int from = (int) Math.max(0, position - begin);
            int into = (int) Math.max(0, begin - position);
            System.arraycopy(value, from, to, into, Math.min(value.length - from, to.length - into));
        });
    }

    @Override
    public byte[] read(String path) throws IOException {
        return content(entry(path));
    }

    /** The length is written with each write that makes the file longer; a file that is opened has blocks only. */
    @Override
    public Content open(String path) throws IOException {
        byte[] key = keyOf(path);
        if (store.get(Space.ENTRIES, key) == null) {
            createFile(path, new byte[0]);
        }
        return new Content() {
            @Override
            public void write(long position, byte[] bytes) throws IOException {
                Entry entry = entry(path);
                Changes changes = new Changes();
                int done = 0;
                while (done < bytes.length) {
                    long block = (position + done) / blockBytes;
                    int in = (int) ((position + done) % blockBytes);
                    int count = Math.min(bytes.length - done, blockBytes - in);
                    byte[] blockKey = blockKey(entry.id, block);
                    byte[] old = count == blockBytes ? null : store.get(Space.BLOCKS, blockKey);
                    byte[] changed = Arrays.copyOf(
                            old == null ? new byte[0] : old, Math.max(in + count, old == null ? 0 : old.length));
                    System.arraycopy(bytes, done, changed, in, count);
                    changes.put(Space.BLOCKS, blockKey, changed);
                    done += count;
                }
                if (position + done > entry.length) {
                    changes.put(Space.ENTRIES, key, encode(FILE, entry.id, position + done, new byte[0]));
                }
                store.write(changes);
            }

            @Override
            public void read(long position, byte[] bytes) throws IOException {
                readBlocks(entry(path).id, position, bytes);
            }

            @Override
            public void close() {
                // There is nothing to let go of.
            }
        };
    }

    @Override
    public void rename(String from, String to) throws IOException {
        byte[] key = keyOf(from);
        byte[] value = store.get(Space.ENTRIES, key);
        byte[] target = keyOf(to);
        if (value == null || store.get(Space.ENTRIES, target) != null) {
            throw new IOException("can't rename " + from + " to " + to);
        }
        store.write(new Changes().delete(Space.ENTRIES, key).put(Space.ENTRIES, target, value));
        directories.keySet().removeIf(path -> path.equals(from) || path.startsWith(from + "/"));
    }

    /** Numbers of a tree that was made in one go are few runs: their entries and blocks are few ranges. */
    @Override
    public void deleteTree(String path) throws IOException {
        List<Long> ids = new ArrayList<>();
        Deque<Long> left = new ArrayDeque<>(List.of(directory(path)));
        while (!left.isEmpty()) {
            long directory = left.pop();
            ids.add(directory);
            scan(directory, (name, entry) -> {
                if (entry.isDirectory()) {
                    left.push(entry.id);
                } else {
                    ids.add(entry.id);
                }
            });
        }
        ids.sort(null);
        Changes changes = new Changes().delete(Space.ENTRIES, keyOf(path));
        for (int i = 0; i < ids.size(); ) {
            int end = i + 1;
            while (end < ids.size() && ids.get(end) == ids.get(end - 1) + 1) {
                end++;
            }
            byte[] from = key(ids.get(i));
            byte[] to = key(ids.get(end - 1) + 1);
            changes.deleteRange(Space.ENTRIES, from, to).deleteRange(Space.BLOCKS, from, to);
            if (changes.all().size() >= DELETED_AT_ONCE) {
                store.write(changes);
                changes = new Changes();
            }
            i = end;
        }
        store.write(changes);
        directories.keySet().removeIf(known -> known.equals(path) || known.startsWith(path + "/"));
    }

    @Override
    public void close() {
        opened.close();
    }
}
