package io.flexdb.flexspace;

import static io.flexdb.flexspace.SpaceOracle.collapsed;
import static io.flexdb.flexspace.SpaceOracle.inserted;
import static io.flexdb.flexspace.SpaceOracle.moved;
import static io.flexdb.flexspace.SpaceOracle.punched;
import static io.flexdb.flexspace.SpaceOracle.randomBytes;
import static io.flexdb.flexspace.SpaceOracle.written;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** Something that a history does to a space. */
enum SpaceStep {
    INSERT_LITTLE(20),
    INSERT_MUCH(6),
    OVERWRITE(14),
    WRITE_BEYOND_END(2),
    COLLAPSE(9),
    MOVE(8),
    INSERT_HOLE(2),
    PUNCH_HOLE(4),
    TRUNCATE(1),
    DEFRAGMENT(2),
    SYNC(8),
    CHECKPOINT(2),
    CLOSE_AND_OPEN(1),
    KILL(1),
    OVERWRITE_BLOCKS(0);

    /** What is written in blocks lies in frames of this size. */
    static final int BLOCK = 1024;

    private static final int SIZE_WANTED = 120_000;
    private final int weight;

    SpaceStep(int weight) {
        this.weight = weight;
    }

    static SpaceStep any(Random random) {
        int dice = random.nextInt(80);
        for (SpaceStep step : values()) {
            dice -= step.weight;
            if (dice < 0) {
                return step;
            }
        }
        throw new AssertionError("weights do not sum up to 80");
    }

    /** Does the step to an open space, if it is one that does not close it. */
    void apply(FlexSpace space, SpaceOracle oracle, Random random) {
        byte[] content = oracle.now();
        int size = content.length;
        switch (this) {
            case INSERT_LITTLE, INSERT_MUCH -> {
                int most = this == INSERT_LITTLE ? 300 : 20_000;
                byte[] bytes = randomBytes(random, 1 + random.nextInt(most));
                int offset = random.nextInt(size + 1);
                oracle.begins(inserted(content, offset, bytes));
                space.insertRange(offset, ByteBuffer.wrap(bytes));
            }
            case OVERWRITE, WRITE_BEYOND_END -> {
                byte[] bytes = randomBytes(random, 1 + random.nextInt(random.nextInt(4) == 0 ? 10_000 : 300));
                int offset = this == OVERWRITE ? random.nextInt(size + 1) : size + random.nextInt(2000);
                oracle.begins(written(content, offset, bytes));
                space.write(offset, ByteBuffer.wrap(bytes));
            }
            case OVERWRITE_BLOCKS -> {
                int blocks = Math.min(size / BLOCK, 1 + random.nextInt(4));
                byte[] bytes = randomBytes(random, blocks * BLOCK);
                int offset = random.nextInt(size / BLOCK - blocks + 1) * BLOCK;
                oracle.begins(written(content, offset, bytes));
                space.write(offset, ByteBuffer.wrap(bytes));
            }
            case COLLAPSE -> {
                if (size > 0) {
                    int most = size > SIZE_WANTED ? size / 2 : 3000;
                    int length = 1 + random.nextInt(Math.min(size, most));
                    int offset = random.nextInt(size - length + 1);
                    oracle.begins(collapsed(content, offset, length));
                    space.collapseRange(offset, length);
                }
            }
            case MOVE -> {
                if (size > 0) {
                    int length = 1 + random.nextInt(Math.min(size, 8000));
                    int offset = random.nextInt(size - length + 1);
                    int place = random.nextInt(size - length + 1);
                    int target = place > offset ? place + length : place;
                    oracle.begins(moved(content, offset, length, target));
                    space.moveRange(offset, length, target);
                }
            }
            case INSERT_HOLE -> {
                int offset = random.nextInt(size + 1);
                int length = 1 + random.nextInt(3000);
                oracle.begins(inserted(content, offset, new byte[length]));
                space.insertHole(offset, length);
            }
            case PUNCH_HOLE -> {
                if (size > 0) {
                    int length = 1 + random.nextInt(Math.min(size, 5000));
                    int offset = random.nextInt(size - length + 1);
                    oracle.begins(punched(content, offset, length));
                    space.punchHole(offset, length);
                }
            }
            case TRUNCATE -> {
                int newSize = Math.max(0, size + random.nextInt(4000) - 2000);
                oracle.begins(Arrays.copyOf(content, newSize));
                space.truncate(newSize);
            }
            case DEFRAGMENT -> {
                if (size > 0) {
                    int length = 1 + random.nextInt(Math.min(size, 5000));
                    space.defragment(random.nextInt(size - length + 1), length);
                }
            }
            case SYNC -> {
                space.sync();
                oracle.synced();
            }
            case CHECKPOINT -> {
                space.checkpoint();
                oracle.synced();
            }
            default -> throw new AssertionError(this);
        }
    }
}
