package io.flexdb.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The documents lead nowhere wrong, and the site of them is whole. */
class SiteTest {
    private static final Path ROOT = Path.of("..");
    private static final String REPOSITORY = "https://example.org/flexdb";

    @TempDir
    private static Path shared;

    @TempDir
    private Path directory;

    private static Path target;

    @BeforeAll
    static void write() throws IOException {
        target = shared.resolve("site");
        SiteWriter.write(ROOT, target, REPOSITORY, "1.2.3");
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(target)) {
            return files.filter(file -> file.toString().endsWith(".html"))
                    .filter(file -> !file.getFileName().toString().startsWith("report")) // of measurements
                    .sorted()
                    .toList();
        }
    }

    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void eachLinkOfTheDocumentsNamesAFileOrAHeading() throws IOException {
        assertEquals(List.of(), Site.read(ROOT, REPOSITORY).link());
    }

    @Test
    void theContentsListEachDocument() throws IOException {
        List<Site.Group> groups = Site.read(ROOT, REPOSITORY).groups();
        Site.Group last = groups.get(groups.size() - 1);
        assertEquals(
                List.of("Changes", "Security", "Reading order"),
                last.pages().stream().map(Page::title).toList(),
                "docs/README.md lists all others");
    }

    @Test
    void eachPageOfTheSiteLeadsToFilesAndHeadingsThatItHas() throws IOException {
        Set<String> broken = new TreeSet<>();
        for (Path page : pages()) {
            for (String address : found("(?:href|src)=\"([^\"]*)\"", Files.readString(page))) {
                if (address.startsWith(REPOSITORY) || address.startsWith("https:")) {
                    continue;
                }
                String[] parts = address.split("#", 2);
                Path file = parts[0].isEmpty() ? page : target.resolve(parts[0]);
                if (!Files.exists(file)
                        || parts.length > 1 && !Files.readString(file).contains(" id=\"" + parts[1] + "\"")) {
                    broken.add(page.getFileName() + ": " + address);
                }
            }
        }
        assertEquals(Set.of(), broken);
        assertTrue(pages().size() > 20, () -> "pages: " + target);
    }

    @Test
    void idsOfAPageAreUnique() throws IOException {
        for (Path page : pages()) {
            List<String> ids = Pattern.compile(" id=\"([^\"]*)\"")
                    .matcher(Files.readString(page))
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            assertEquals(new HashSet<>(ids).size(), ids.size(), () -> page + ": " + ids);
        }
    }

    @Test
    void elementsOfAPageAreClosedInTheirOrder() throws IOException {
        Set<String> empty = Set.of("meta", "link", "input", "img", "br", "hr", "wbr");
        for (Path page : pages()) {
            List<String> open = new ArrayList<>();
            Pattern tag = Pattern.compile("<(/?)([a-z][a-z0-9]*)\\b[^>]*>");
            for (MatchResult match :
                    tag.matcher(Files.readString(page)).results().toList()) {
                String name = match.group(2);
                if (!match.group(1).isEmpty()) {
                    assertEquals(name, open.remove(open.size() - 1), page::toString);
                } else if (!empty.contains(name)) {
                    open.add(name);
                }
            }
            assertEquals(List.of(), open, page::toString);
        }
    }

    @Test
    void nothingIsLoadedFromElsewhere() throws IOException {
        for (Path page : pages()) {
            String text = Files.readString(page);
            Set<String> loaded = found("<(?:script|img)[^>]* src=\"([^\"]*)\"", text);
            loaded.addAll(found("<link [^>]*href=\"([^\"]*)\"", text));
            for (String picture : found("<img src=\"([^\"/:]*\\.png)\"", text)) {
                assertTrue(Files.size(target.resolve(picture)) > 0, picture);
                loaded.remove(picture);
            }
            assertEquals(Set.of("icon.svg", "site.css", "site.js", "theme.js"), loaded, page::toString);
            assertFalse(text.contains("${"), page::toString);
        }
        for (String file : List.of("site.css", "site.js", "theme.js")) {
            assertFalse(Files.readString(target.resolve(file)).matches("(?s).*(https?:|//[a-z]+\\.|url\\().*"), file);
        }
    }

    @Test
    void theSearchHasEachSection() throws IOException {
        String index = Files.readString(target.resolve("sections.js"));
        int sections = 0;
        for (Page page : Site.read(ROOT, REPOSITORY).pages()) {
            sections += page.sections().size();
            assertTrue(index.contains("[\"" + page.output() + "\","), page::toString);
        }
        assertEquals(
                sections, index.lines().filter(line -> line.startsWith("[\"")).count());
        assertTrue(index.contains("[\"tuning.html#options\",\"Tuning\",\"Options\",\""), "options");
    }

    @Test
    void brokenLinksAreNamedAndNothingIsWritten() throws IOException {
        Files.createDirectories(directory.resolve("docs"));
        Files.writeString(directory.resolve("README.md"), "# Top\n\n[a](docs/a.md#one), [b](docs/a.md#two)\n");
        Files.writeString(
                directory.resolve("docs/README.md"),
                "# Contents\n\n**To use**\n\n1. [a](a.md)\n2. [top](../README.md)\n");
        Files.writeString(
                directory.resolve("docs/a.md"),
                "# A\n\n## One\n\n[self](#one) [self](#none) [no](b.md) [out](../../x) [web](https://example.org)\n");
        IllegalStateException e = assertThrows(
                IllegalStateException.class,
                () -> SiteWriter.write(directory, directory.resolve("site"), REPOSITORY, "1"));
        assertEquals(
                List.of(
                        "links lead nowhere:",
                        "README.md: no heading docs/a.md#two",
                        "docs/a.md: no heading #none",
                        "docs/a.md: no file b.md",
                        "docs/a.md: no file ../../x"),
                e.getMessage().lines().toList());
        assertFalse(Files.exists(directory.resolve("site")));
    }

    @Test
    void headingsAreNamedAsOnGitHub() {
        Page page = new Page(
                Path.of("docs", "a.md"), "# A\n\n## What's `get(x)`, a_b?\n\ntext\n\n## 2. Café – now\n\n## A\n");
        assertEquals(
                List.of("a", "whats-getx-a_b", "2-café--now", "a-1"),
                page.sections().stream().map(Page.Section::id).toList());
        assertEquals("text", page.sections().get(1).text());
    }

    @Test
    void codeAndTextAreNeverTakenAsHtml() {
        Page page = new Page(
                Path.of("docs", "a.md"),
                "# A <b>\n\n<script>x</script>\n\n```java\nList<String> a = \"</b>\"; // \"no\" text\n```\n\n`a<b>`\n");
        String html = Html.of(page);
        assertFalse(html.contains("<b>") || html.contains("<script>"), html);
        assertTrue(html.contains("List&lt;String&gt; a = <span class=\"text\">&quot;&lt;/b&gt;&quot;</span>; "), html);
        assertTrue(html.contains("<span class=\"comment\">// &quot;no&quot; text</span>"), html);
    }
}
