package io.flexdb.site;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** Writes the site, as files that any web server has, or a browser opens from a disk. */
final class SiteWriter {
    private static final List<String> FILES = List.of("site.css", "site.js", "theme.js", "icon.svg");

    private final Site site;
    private final String version;

    private SiteWriter(Site site, String version) {
        this.site = site;
        this.version = version;
    }

    /**
     * Writes the site.
     *
     * @param args the directory of the project, that of the site, the address of the repository, the version
     */
    public static void main(String[] args) throws IOException {
        write(Path.of(args[0]), Path.of(args[1]), args[2], args[3]);
        System.out.println("The site is in " + Path.of(args[1]).toAbsolutePath().resolve("index.html"));
    }

    /**
     * Writes the site.
     *
     * @throws IllegalStateException if a link leads nowhere; nothing was written
     */
    static void write(Path root, Path target, String repository, String version) throws IOException {
        Site site = Site.read(root, repository);
        List<String> broken = site.link();
        if (!broken.isEmpty()) {
            throw new IllegalStateException("links lead nowhere:\n" + String.join("\n", broken));
        }
        new SiteWriter(site, version).write(target);
    }

    private void write(Path target) throws IOException {
        Files.createDirectories(target);
        String template = resource("page.html");
        List<Page> pages = site.pages();
        for (int i = 0; i < pages.size(); i++) {
            Page before = i == 0 ? null : pages.get(i - 1);
            Page behind = i + 1 == pages.size() ? null : pages.get(i + 1);
            Files.writeString(target.resolve(pages.get(i).output()), html(template, pages.get(i), before, behind));
        }
        Files.writeString(target.resolve("sections.js"), SearchIndex.of(pages));
        for (String name : FILES) {
            Files.writeString(target.resolve(name), resource(name));
        }
        for (Path asset : site.assets()) {
            Files.copy(
                    site.root().resolve(asset),
                    target.resolve(asset.getFileName()),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private String html(String template, Page page, Page before, Page behind) {
        String title = page.output().equals("index.html") ? page.title() : page.title() + " – FlexDB";
        return template.replace("${title}", Html.escaped(title))
                .replace("${version}", Html.escaped(version))
                .replace("${source}", Html.escaped(site.inRepository(page.file())))
                .replace("${repository}", Html.escaped(site.inRepository(Path.of(""))))
                .replace("${navigation}", navigation(page))
                .replace("${sections}", sections(page))
                .replace("${before}", neighbour(before, "prev", "Before"))
                .replace("${behind}", neighbour(behind, "next", "Next"))
                .replace("${content}", Html.of(page));
    }

    private String navigation(Page current) {
        StringBuilder html = new StringBuilder();
        for (Site.Group group : site.groups()) {
            html.append("<h2>").append(Html.escaped(group.title())).append("</h2>\n<ul>\n");
            for (Page page : group.pages()) {
                html.append("<li><a href=\"").append(page.output()).append('"');
                html.append(page == current ? " aria-current=\"page\">" : ">");
                html.append(Html.escaped(page.title())).append("</a></li>\n");
            }
            html.append("</ul>\n");
        }
        return html.toString();
    }

    private static String sections(Page page) {
        StringBuilder html = new StringBuilder();
        for (Page.Section section : page.sections()) {
            if (section.level() == 2) {
                html.append("<li><a href=\"#")
                        .append(Html.escaped(section.id()))
                        .append("\">");
                html.append(Html.escaped(section.title())).append("</a></li>\n");
            }
        }
        return html.isEmpty() ? "" : "<h2>On this page</h2>\n<ul>\n" + html + "</ul>\n";
    }

    private static String neighbour(Page page, String relation, String label) {
        return page == null
                ? "<span></span>"
                : "<a rel=\"" + relation + "\" href=\"" + page.output() + "\"><small>" + label + "</small> "
                        + Html.escaped(page.title()) + "</a>";
    }

    private static String resource(String name) throws IOException {
        try (InputStream stream = SiteWriter.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new FileNotFoundException(name);
            }
            return new String(stream.readAllBytes(), UTF_8);
        }
    }
}
