package io.flexdb.flexspace.simulation;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** The bytes of one file: those in the cache and those on the medium. Guarded by the file system that holds it. */
final class SimulatedContent {
    /*
     * Both are tables of pages. A page on the medium never changes, only its entry in the table does, so tables of
     * different file systems share pages, and a crash state costs little more than its tables.
     *
     * I1  A page of the cache that differs from the medium's by identity belongs to this content alone and may be
     *     written.
     * I2  A sector that is neither dirty nor doubtful is the same in the cache and on the medium, if the medium is
     *     taken as cut to cutTo.
     * I3  No page is null within the cache where a sector is dirty or doubtful; elsewhere null means zeros.
     * I4  Bytes past the size are zero.
     *
     * A dirty sector was written since the last force. A doubtful one was dirty when a force failed: the cache
     * considers it clean, the medium has it or not.
     */
    static final int SECTOR_BYTES = 512;
    private static final int PAGE_BYTES = 4096;
    private static final int SECTORS = PAGE_BYTES / SECTOR_BYTES;
    private static final long NOT_CUT = Long.MAX_VALUE;
    private static final byte[] ZEROS = new byte[PAGE_BYTES];

    private byte[][] cache;
    private byte[][] medium;
    private byte[] dirty; // a bit a sector, a byte a page
    private byte[] doubtful;
    private long size;
    private long mediumSize;
    private long cutTo = NOT_CUT; // the smallest size since the last force

    SimulatedContent() {
        this(new byte[1][], 0);
    }

    /** Durable content of the given pages, which nobody changes any more. */
    private SimulatedContent(byte[][] pages, long size) {
        this.cache = pages;
        this.medium = pages.clone();
        this.dirty = new byte[pages.length];
        this.doubtful = new byte[pages.length];
        this.size = size;
        this.mediumSize = size;
    }

    static SimulatedContent durable(byte[] bytes) {
        SimulatedContent content = new SimulatedContent();
        content.write(ByteBuffer.wrap(bytes), bytes.length, 0);
        content.force();
        return content;
    }

    /** The same cache on the same medium, independent of this one. */
    SimulatedContent copy() {
        SimulatedContent copy = new SimulatedContent(medium.clone(), mediumSize);
        for (int i = 0; i < cache.length; i++) {
            copy.cache[i] = cache[i] == medium[i] || cache[i] == null ? cache[i] : cache[i].clone();
        }
        copy.dirty = dirty.clone();
        copy.doubtful = doubtful.clone();
        copy.size = size;
        copy.cutTo = cutTo;
        return copy;
    }

    long size() {
        return size;
    }

    int read(ByteBuffer dst, long position) {
        if (position >= size) {
            return dst.hasRemaining() ? -1 : 0;
        }
        int length = (int) Math.min(dst.remaining(), size - position);
        for (int done = 0; done < length; ) {
            int page = pageOf(position + done);
            int at = within(position + done);
            int part = Math.min(length - done, PAGE_BYTES - at);
            dst.put(cache[page] == null ? new byte[PAGE_BYTES] : cache[page], at, part);
            done += part;
        }
        return length;
    }

    byte[] bytes() {
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(size));
        read(all, 0);
        return all.array();
    }

    /** The same for the same bytes, and else practically never. */
    long fingerprint() {
        long print = SimulatedNames.mixed(-1, size); // of no directory
        for (int page = 0; page < cache.length; page++) {
            if (cache[page] != null && !Arrays.equals(cache[page], ZEROS)) {
                print = SimulatedNames.mixed(SimulatedNames.mixed(print, page), fingerprint(cache[page]));
            }
        }
        return print;
    }

    private static long fingerprint(byte[] page) {
        CRC32 one = new CRC32();
        one.update(page);
        CRC32C other = new CRC32C();
        other.update(page);
        return one.getValue() << Integer.SIZE | other.getValue();
    }

    void write(ByteBuffer src, int length, long position) {
        if (length == 0) {
            return;
        }
        reach(position + length);
        for (int done = 0; done < length; ) {
            int page = pageOf(position + done);
            int at = within(position + done);
            int part = Math.min(length - done, PAGE_BYTES - at);
            src.get(ownPage(page), at, part);
            int sectors = bits(at / SECTOR_BYTES, (at + part - 1) / SECTOR_BYTES);
            dirty[page] |= (byte) sectors;
            doubtful[page] &= (byte) ~sectors;
            done += part;
        }
        size = Math.max(size, position + length);
    }

    /** Makes the content at least so long, by zeros that are not written: a crash leaves zeros or a shorter one. */
    void extend(long bytes) {
        if (bytes > size) {
            reach(bytes);
            size = bytes;
        }
    }

    private void reach(long bytes) {
        int pages = pageOf(bytes - 1) + 1;
        if (pages > cache.length) {
            int length = Math.max(pages, cache.length * 2);
            cache = Arrays.copyOf(cache, length);
            medium = Arrays.copyOf(medium, length);
            dirty = Arrays.copyOf(dirty, length);
            doubtful = Arrays.copyOf(doubtful, length);
        }
    }

    private byte[] ownPage(int page) {
        if (cache[page] == null) {
            cache[page] = new byte[PAGE_BYTES];
        } else if (cache[page] == medium[page]) {
            cache[page] = cache[page].clone();
        }
        return cache[page];
    }

    void truncate(long bytes) {
        if (bytes >= size) {
            return;
        }
        cutTo = Math.min(cutTo, bytes);
        size = bytes;
        cut(cache, bytes);
        int kept = (int) ((bytes + SECTOR_BYTES - 1) / SECTOR_BYTES); // sectors that have bytes left
        for (int page = kept / SECTORS; page < dirty.length; page++) {
            int left = Math.max(0, kept - page * SECTORS);
            dirty[page] &= (byte) (bits(0, SECTORS - 1) >>> (SECTORS - Math.min(left, SECTORS)));
            doubtful[page] &= (byte) (bits(0, SECTORS - 1) >>> (SECTORS - Math.min(left, SECTORS)));
        }
    }

    /** Makes everything from a position on zero, without changing a page. */
    private static void cut(byte[][] pages, long position) {
        int page = pageOf(position);
        if (page >= pages.length) {
            return;
        }
        if (within(position) == 0) {
            pages[page] = null;
        } else if (pages[page] != null) {
            pages[page] = Arrays.copyOf(Arrays.copyOf(pages[page], within(position)), PAGE_BYTES);
        }
        Arrays.fill(pages, page + 1, pages.length, null);
    }

    void force() {
        cut(medium, cutTo);
        for (int page = 0; page < dirty.length; page++) {
            if (dirty[page] == 0) {
                continue;
            }
            if (doubtful[page] == 0) {
                medium[page] = cache[page];
            } else {
                byte[] merged = copyOfPage(medium[page]);
                for (int sector = 0; sector < SECTORS; sector++) {
                    if ((dirty[page] & 1 << sector) != 0) {
                        copySector(cache[page], sector, merged, sector);
                    }
                }
                medium[page] = merged;
            }
            dirty[page] = 0;
        }
        mediumSize = size;
        cutTo = NOT_CUT;
    }

    void failForce() {
        for (int page = 0; page < dirty.length; page++) {
            doubtful[page] |= dirty[page];
            dirty[page] = 0;
        }
    }

    /** One of the contents that a power cut may leave. */
    SimulatedContent crashed(Survival overall, SplittableRandom random) {
        return switch (Survival.within(overall, random)) {
            case NOTHING -> new SimulatedContent(medium.clone(), mediumSize);
            case EVERYTHING -> new SimulatedContent(cache.clone(), size);
            case SOME -> partly(random);
        };
    }

    private SimulatedContent partly(SplittableRandom random) {
        byte[][] pages = medium.clone();
        long base = mediumSize; // up to here the medium had bytes of this file before
        if (cutTo != NOT_CUT && random.nextBoolean()) {
            cut(pages, cutTo);
            base = Math.min(base, cutTo);
        }
        long newSize = sizeBetween(base, size, random);
        double share = Survival.share(random);
        for (int page = 0; page < dirty.length; page++) {
            int unsure = (dirty[page] | doubtful[page]) & 0xff;
            if (unsure == 0) {
                continue;
            }
            byte[] mixed = copyOfPage(pages[page]);
            for (int sector = 0; sector < SECTORS; sector++) {
                if ((unsure & 1 << sector) == 0) {
                    continue;
                }
                if (random.nextDouble() < share) {
                    copySector(cache[page], sector, mixed, sector);
                } else {
                    fillNeverWritten(mixed, sector, base - (long) page * PAGE_BYTES, random);
                }
            }
            pages[page] = mixed;
        }
        cut(pages, newSize);
        return new SimulatedContent(pages, newSize);
    }

    private static long sizeBetween(long old, long now, SplittableRandom random) {
        if (now <= old) {
            return old;
        }
        return switch (random.nextInt(4)) {
            case 0 -> old;
            case 1 -> now;
            case 2 -> random.nextLong(old, now + 1);
            default -> Math.max(old, random.nextLong(old, now + 1) / SECTOR_BYTES * SECTOR_BYTES);
        };
    }

    /** What a size that has grown shows of a sector that was not written: zeros, garbage, or what another file left. */
    private void fillNeverWritten(byte[] page, int sector, long base, SplittableRandom random) {
        int from = (int) Math.max(sector * SECTOR_BYTES, Math.min(base, PAGE_BYTES));
        int to = (sector + 1) * SECTOR_BYTES;
        if (from >= to) {
            return;
        }
        byte[] found = new byte[PAGE_BYTES];
        int dice = random.nextInt(4);
        if (dice == 0) {
            random.nextBytes(found);
        } else if (dice == 1) {
            byte[] stale = medium[random.nextInt(medium.length)];
            if (stale != null) {
                copySector(stale, random.nextInt(SECTORS), found, sector);
            }
        }
        System.arraycopy(found, from, page, from, to - from);
    }

    private static byte[] copyOfPage(byte[] page) {
        return page == null ? new byte[PAGE_BYTES] : page.clone();
    }

    private static void copySector(byte[] from, int sector, byte[] to, int target) {
        System.arraycopy(from, sector * SECTOR_BYTES, to, target * SECTOR_BYTES, SECTOR_BYTES);
    }

    private static int pageOf(long position) {
        return (int) Math.min(Integer.MAX_VALUE, position / PAGE_BYTES);
    }

    private static int within(long position) {
        return (int) (position % PAGE_BYTES);
    }

    private static int bits(int first, int last) {
        return (1 << last + 1) - (1 << first);
    }
}
