package io.flexdb.site;

import java.util.Locale;
import java.util.Set;

/** Names of headings for links, as GitHub makes them: so links work there and on the site. */
final class Slugs {
    private Slugs() {}

    /**
     * The name of a heading.
     *
     * @param taken names of earlier headings of the page; gets this one
     */
    static String of(String title, Set<String> taken) {
        String slug = title.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                .replace(' ', '-');
        String name = slug;
        for (int i = 1; !taken.add(name); i++) {
            name = slug + "-" + i;
        }
        return name;
    }
}
