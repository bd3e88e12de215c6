package io.flexdb.flexspace;

import io.flexdb.flexspace.internal.check.CheckResult;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.engine.SpaceFigures;
import io.flexdb.flexspace.internal.vfs.NativeIo;
import io.flexdb.storage.StoreHealth;
import java.nio.file.Path;
import java.util.List;

/**
 * The figures and findings behind the public interfaces: records, which callers see as interfaces only, so that a figure
 * more breaks nobody.
 */
final class SpaceReports {
    private SpaceReports() {}

    /** The figures of an engine, by its writer. */
    static FlexSpaceStats of(SpaceEngine engine, int snapshots) {
        SpaceFigures figures = engine.figures();
        return new Stats(
                engine.size(),
                engine.health().current(),
                NativeIo.isAvailable(),
                snapshots,
                new Tree(figures.extentCount(), figures.treeMemoryBytes(), figures.retiredNodeBytes()),
                new Data(
                        figures.segmentCount(),
                        engine.freeSegmentCount(),
                        engine.pinnedSegmentCount(),
                        engine.segmentBytes(),
                        figures.liveBytes(),
                        figures.mappedBytes(),
                        figures.scratchMemoryBytes(),
                        figures.checksumMemoryBytes()),
                new Written(figures.dataBytesWritten(), figures.logBytesWritten(), figures.treeBytesWritten()),
                new Collection(
                        figures.bytesMoved(), figures.bytesFreed(), figures.segmentsFreed(), figures.extentsScanned()),
                new Checkpoints(figures.checkpoints(), figures.checkpointWaits()),
                new Cache(figures.cacheHits(), figures.cacheMisses(), figures.cacheBytes()),
                new Buffers(figures.bufferMemoryBytes(), figures.freeBufferBytes(), figures.bufferWaits()),
                new Scrub(
                        engine.scrubber().bytesRead(),
                        engine.scrubber().passes(),
                        engine.scrubber().findingCount()));
    }

    static CheckReport of(CheckResult result) {
        List<CheckReport.Finding> findings = result.findings().stream()
                .<CheckReport.Finding>map(
                        each -> new Finding(each.file(), each.position(), each.expected(), each.found()))
                .toList();
        return new Check(findings, result.findingCount(), result.bytesRead(), result.extents(), result.segments());
    }

    record Stats(
            long size,
            StoreHealth health,
            boolean nativeIo,
            int snapshots,
            Tree tree,
            Data data,
            Written written,
            Collection collection,
            Checkpoints checkpoints,
            Cache cache,
            Buffers buffers,
            Scrub scrub)
            implements FlexSpaceStats {
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("FlexSpaceStats[size=" + size + ", health=" + health + ", nativeIo="
                    + nativeIo + ", snapshots=" + snapshots + "]");
            for (Object group : List.of(tree, data, written, collection, checkpoints, cache, buffers, scrub)) {
                text.append("\n  ").append(group);
            }
            return text.toString();
        }
    }

    record Tree(long extents, long memoryBytes, long retiredBytes) implements FlexSpaceStats.Tree {}

    record Data(
            int segments,
            int freeSegments,
            int pinnedSegments,
            int segmentBytes,
            long liveBytes,
            long mappedBytes,
            long scratchBytes,
            long frameTableBytes)
            implements FlexSpaceStats.Data {}

    record Written(long dataBytes, long logBytes, long treeBytes) implements FlexSpaceStats.Written {}

    record Collection(long bytesMoved, long bytesFreed, long segmentsFreed, long extentsScanned)
            implements FlexSpaceStats.Collection {}

    record Checkpoints(long count, long waits) implements FlexSpaceStats.Checkpoints {}

    record Cache(long hits, long misses, long memoryBytes) implements FlexSpaceStats.Cache {}

    record Buffers(long memoryBytes, long freeBytes, long waits) implements FlexSpaceStats.Buffers {}

    record Scrub(long bytes, long passes, long findings) implements FlexSpaceStats.Scrub {}

    record Check(List<CheckReport.Finding> findings, long findingCount, long bytesRead, long extents, int segments)
            implements CheckReport {
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("CheckReport[findings=" + findingCount + ", bytesRead=" + bytesRead
                    + ", extents=" + extents + ", segments=" + segments + "]");
            findings.forEach(finding -> text.append('\n').append(finding));
            return text.toString();
        }
    }

    record Finding(Path file, long position, String expected, String found) implements CheckReport.Finding {
        @Override
        public String toString() {
            return file + " at " + position + ": expected " + expected + ", found " + found;
        }
    }
}
