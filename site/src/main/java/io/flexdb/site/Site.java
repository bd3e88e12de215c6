package io.flexdb.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.OrderedList;
import org.commonmark.node.Paragraph;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;

/**
 * All documents of the project as one site. {@code docs/README.md} is its contents: a line in bold begins a group, and
 * the links of the list below it are its pages.
 */
final class Site {
    private static final Path DOCUMENTS = Path.of("docs");
    private static final Path CONTENTS = DOCUMENTS.resolve("README.md");
    private static final List<String> OF_ROOT = List.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
    private static final Pattern FILE_NAME = Pattern.compile("[\\w./-]+\\.md");

    private final Path root;
    private final String repository;
    private final Map<Path, Page> pages = new TreeMap<>();
    private final Set<Path> assets = new LinkedHashSet<>();
    private List<Group> groups;

    /**
     * Pages that belong together.
     *
     * @param title above them in the navigation
     */
    record Group(String title, List<Page> pages) {}

    private Site(Path root, String repository) {
        this.root = root;
        this.repository = repository;
    }

    /**
     * Reads all documents.
     *
     * @param root the directory of the project
     * @param repository the address where its sources can be looked at
     */
    static Site read(Path root, String repository) throws IOException {
        Site site = new Site(root, repository);
        for (String name : OF_ROOT) {
            site.add(Path.of(name));
        }
        try (Stream<Path> files = Files.list(root.resolve(DOCUMENTS))) {
            for (Path file : files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                site.add(root.relativize(file));
            }
        }
        site.groups = site.groupsOfContents(); // before links are changed
        return site;
    }

    private void add(Path file) throws IOException {
        if (Files.exists(root.resolve(file))) {
            pages.put(file, new Page(file, Files.readString(root.resolve(file))));
        }
    }

    /** All pages, in the order of the navigation. */
    List<Page> pages() {
        return groups.stream().flatMap(group -> group.pages().stream()).toList();
    }

    /** The groups of the navigation; each page is in one of them, and the last has those that the contents don't list. */
    List<Group> groups() {
        return groups;
    }

    private List<Group> groupsOfContents() {
        List<Group> found = new ArrayList<>();
        Set<Page> listed = new LinkedHashSet<>();
        Page contents = pages.get(CONTENTS);
        String title = "";
        for (Node node = contents.document().getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Paragraph && node.getFirstChild() instanceof StrongEmphasis) {
                title = PlainText.of(node);
            } else if (node instanceof OrderedList) {
                List<Page> pagesOfGroup = new ArrayList<>();
                for (Link link : contents.links()) {
                    Page page = pages.get(fileOf(contents, link.getDestination()));
                    if (isWithin(link, node) && page != null && listed.add(page)) {
                        pagesOfGroup.add(page);
                    }
                }
                found.add(new Group(title, pagesOfGroup));
            }
        }
        found.add(new Group(
                "Project",
                pages.values().stream().filter(page -> !listed.contains(page)).toList()));
        return found;
    }

    private static boolean isWithin(Node node, Node parent) {
        return node != null && (node == parent || isWithin(node.getParent(), parent));
    }

    /** Files beside the pages that links lead to. */
    Set<Path> assets() {
        return assets;
    }

    private static Path fileOf(Page page, String destination) {
        String name = destination.split("#", 2)[0];
        Path directory = page.file().getParent();
        return name.isEmpty() ? page.file() : (directory == null ? Path.of(name) : directory.resolve(name)).normalize();
    }

    /**
     * Has all links lead to where the site has what they name, or to the repository, and tells of those that lead
     * nowhere. Where a file's name is the text of a link to a page, the page's title is that instead.
     *
     * @return a line for each link that names no file or no heading; empty if all is well
     */
    List<String> link() {
        Map<Page, List<String>> broken = new LinkedHashMap<>();
        for (Page page : pages.values()) {
            List<String> ofPage = broken.computeIfAbsent(page, key -> new ArrayList<>());
            for (Link link : page.links()) {
                Page named = pages.get(fileOf(page, link.getDestination()));
                link.setDestination(target(page, link.getDestination(), ofPage));
                if (named != null && link.getFirstChild() instanceof Text text) {
                    text.setLiteral(FILE_NAME.matcher(text.getLiteral()).matches() ? named.title() : text.getLiteral());
                }
            }
            for (Image image : page.images()) {
                image.setDestination(target(page, image.getDestination(), ofPage));
            }
        }
        List<String> lines = new ArrayList<>();
        broken.forEach((page, links) -> links.forEach(link -> lines.add(page + ": " + link)));
        return lines;
    }

    private String target(Page page, String destination, List<String> broken) {
        if (ELSEWHERE.matcher(destination).matches()) {
            return destination;
        }
        Path file = fileOf(page, destination);
        int hash = destination.indexOf('#');
        Page named = pages.get(file);
        if (named != null) {
            if (hash >= 0 && !named.has(destination.substring(hash + 1))) {
                broken.add("no heading " + destination);
            }
            return (named == page && hash >= 0 ? "" : named.output()) + (hash < 0 ? "" : destination.substring(hash));
        }
        if (destination.startsWith("/") || file.startsWith("..") || !Files.exists(root.resolve(file))) {
            broken.add("no file " + destination);
            return destination;
        }
        if (file.startsWith(DOCUMENTS) && Files.isRegularFile(root.resolve(file))) {
            assets.add(file);
            return file.getFileName().toString();
        }
        return inRepository(file);
    }

    /** The address of a file or directory in the repository. */
    String inRepository(Path file) {
        String kind = Files.isDirectory(root.resolve(file)) ? "tree" : "blob";
        return repository + "/" + kind + "/main/" + file.toString().replace('\\', '/');
    }

    /** The directory of the project. */
    Path root() {
        return root;
    }
}
