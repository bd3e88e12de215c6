package io.flexdb.internal.interval;

import java.nio.ByteBuffer;
import java.util.Locale;

/** Prints a sparse index. */
public final class IndexDump {
    private final IndexNodes nodes;
    private final StringBuilder out = new StringBuilder();

    private IndexDump(IndexNodes nodes) {
        this.nodes = nodes;
    }

    /** The tree as the writer has it, a line for each node and each interval. */
    public static String of(SparseIndex index) {
        return of(index, index.current());
    }

    static String of(SparseIndex index, IndexView view) {
        IndexDump dump = new IndexDump(index.nodes);
        dump.out.append(view).append('\n');
        dump.dumpNode(view.root, 0, 0);
        return dump.out.toString();
    }

    private void dumpNode(int node, long start, int depth) {
        ByteBuffer b = nodes.chunk(node);
        int base = nodes.base(node);
        int level = IndexNodes.level(b, base);
        indent(depth);
        out.append(level == 0 ? "leaf" : "node");
        out.append(" prefix=").append(IndexNodes.prefixLength(b, base)).append('\n');
        for (int i = 0; i < IndexNodes.count(b, base); i++) {
            indent(depth + 1);
            long first = level == 0 ? IndexNodes.start(b, base, i) : IndexNodes.childStart(b, base, i);
            out.append('+').append(first).append(" (").append(start + first).append(") ");
            appendKey(IndexNodes.ref(b, base, level, i));
            if (level > 0) {
                out.append('\n');
                dumpNode(IndexNodes.child(b, base, i), start + first, depth + 2);
            } else {
                out.append(" bytes=").append(IndexNodes.end(b, base, i) - first);
                out.append(" pairs=").append(IndexNodes.pairs(b, base, i));
                out.append(" content=").append(IndexNodes.content(b, base, i)).append('\n');
            }
        }
    }

    private void indent(int depth) {
        out.append("  ".repeat(depth));
    }

    private void appendKey(int ref) {
        out.append('"');
        for (byte c : nodes.keys.toBytes(ref)) {
            if (c >= ' ' && c < 127 && c != '"' && c != '\\') {
                out.append((char) c);
            } else {
                out.append(String.format(Locale.ROOT, "\\x%02x", c & 0xFF));
            }
        }
        out.append('"');
    }
}
