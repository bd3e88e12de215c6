package io.flexdb.site;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.html.HtmlWriter;

/** The content of a page as HTML. Nothing in a document is taken as HTML. */
final class Html {
    private Html() {}

    static String of(Page page) {
        return HtmlRenderer.builder()
                .extensions(List.of(TablesExtension.create()))
                .escapeHtml(true)
                .nodeRendererFactory(context -> new Headings(page, context))
                .nodeRendererFactory(CodeBlocks::new)
                .nodeRendererFactory(CodeInCells::new)
                .build()
                .render(page.document())
                // A wide table scrolls by itself, and the keyboard reaches it.
                .replace("<table>", "<div class=\"table\" tabindex=\"0\"><table>")
                .replace("</table>", "</table></div>");
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** Headings that links can name, with a link to themselves. */
    private record Headings(Page page, HtmlNodeRendererContext context) implements NodeRenderer {
        @Override
        public Set<Class<? extends Node>> getNodeTypes() {
            return Set.of(Heading.class);
        }

        @Override
        public void render(Node node) {
            HtmlWriter writer = context.getWriter();
            String tag = "h" + ((Heading) node).getLevel();
            String id = page.id(node);
            writer.line();
            writer.tag(tag, id == null ? Map.of() : Map.of("id", id));
            for (Node child = node.getFirstChild(); child != null; child = child.getNext()) {
                context.render(child);
            }
            if (id != null && !tag.equals("h1")) {
                writer.raw(
                        " <a class=\"anchor\" href=\"#" + escaped(id) + "\" aria-label=\"Link to this section\">#</a>");
            }
            writer.tag("/" + tag);
            writer.line();
        }
    }

    /** Code within lines. In a table it may be broken within names, which style sheets allow for on narrow screens. */
    private record CodeInCells(HtmlNodeRendererContext context) implements NodeRenderer {
        private static final String PLACES = "(?<=[a-z0-9])(?=[A-Z])|(?<=[._/])(?=\\w)";

        @Override
        public Set<Class<? extends Node>> getNodeTypes() {
            return Set.of(Code.class);
        }

        @Override
        public void render(Node node) {
            String code = ((Code) node).getLiteral();
            String separator = isInCell(node) ? "<wbr>" : "";
            String html = Stream.of(code.split(PLACES)).map(Html::escaped).collect(Collectors.joining(separator));
            context.getWriter().raw("<code>" + html + "</code>");
        }

        private static boolean isInCell(Node node) {
            return node != null && (node instanceof TableCell || isInCell(node.getParent()));
        }
    }

    /** Blocks of code, those in Java with colours. */
    private record CodeBlocks(HtmlNodeRendererContext context) implements NodeRenderer {
        @Override
        public Set<Class<? extends Node>> getNodeTypes() {
            return Set.of(FencedCodeBlock.class);
        }

        @Override
        public void render(Node node) {
            FencedCodeBlock block = (FencedCodeBlock) node;
            HtmlWriter writer = context.getWriter();
            writer.line();
            writer.raw("<pre tabindex=\"0\"><code>");
            writer.raw(
                    "java".equals(block.getInfo())
                            ? JavaColours.html(block.getLiteral())
                            : escaped(block.getLiteral()));
            writer.raw("</code></pre>");
            writer.line();
        }
    }
}
