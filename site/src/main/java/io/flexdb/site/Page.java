package io.flexdb.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;

/** A document of the project, parsed. */
final class Page {
    private static final Parser PARSER =
            Parser.builder().extensions(List.of(TablesExtension.create())).build();

    private final Path file;
    private final Node document;
    private final List<Section> sections = new ArrayList<>();
    private final Map<Node, String> ids = new HashMap<>();

    /**
     * The text below a heading, up to the next one.
     *
     * @param level of the heading, from 1
     * @param id by which links name it; as GitHub makes it of the title
     * @param text without marks
     */
    record Section(int level, String id, String title, String text) {}

    /** @param file from the root of the project */
    Page(Path file, String text) {
        this.file = file;
        document = PARSER.parse(text);
        Set<String> taken = new HashSet<>();
        Heading heading = null;
        StringBuilder below = new StringBuilder();
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading next) {
                endSection(heading, below);
                heading = next;
                ids.put(next, Slugs.of(PlainText.of(next), taken));
            } else {
                below.append(PlainText.of(node)).append(' ');
            }
        }
        endSection(heading, below);
        if (sections.isEmpty() || sections.get(0).level() != 1) {
            throw new IllegalArgumentException("a page must begin with its title: " + file);
        }
    }

    private void endSection(Heading heading, StringBuilder below) {
        if (heading != null) {
            String text = below.toString().strip().replaceAll("\\s+", " ");
            sections.add(new Section(heading.getLevel(), ids.get(heading), PlainText.of(heading), text));
        }
        below.setLength(0);
    }

    /** The document's file, from the root of the project. */
    Path file() {
        return file;
    }

    /** The parsed document. */
    Node document() {
        return document;
    }

    /** Its title. */
    String title() {
        return sections.get(0).title();
    }

    /** Its sections, the title's first. */
    List<Section> sections() {
        return sections;
    }

    /** The id of a heading; null for other nodes. */
    String id(Node heading) {
        return ids.get(heading);
    }

    /** Whether a link may name this heading. */
    boolean has(String id) {
        return ids.containsValue(id);
    }

    /** The name of the file that the site has for it. */
    String output() {
        String name = file.getFileName().toString().replaceAll("\\.md$", ".html");
        if (name.equals("README.html")) {
            return file.getParent() == null ? "index.html" : "reading-order.html";
        }
        return file.getParent() == null ? name.toLowerCase(Locale.ROOT) : name;
    }

    /** All links, in their order. */
    List<Link> links() {
        List<Link> links = new ArrayList<>();
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                links.add(link);
                visitChildren(link);
            }
        });
        return links;
    }

    /** All pictures, in their order. */
    List<Image> images() {
        List<Image> images = new ArrayList<>();
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Image image) {
                images.add(image);
            }
        });
        return images;
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
