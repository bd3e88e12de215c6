package io.flexdb.internal.base;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The version of the library, as its jar says. */
public final class LibraryVersion {
    // Not the manifest: modules have none at run time, and a jar with many libraries has another one.
    private static final String IN_JAR = "/META-INF/maven/io.flexdb/flexdb/pom.properties";
    private static final String UNKNOWN = "unknown";

    private LibraryVersion() {}

    /** The version; {@code unknown} if the classes don't come from a jar of a build. */
    public static String get() {
        try (InputStream in = LibraryVersion.class.getResourceAsStream(IN_JAR)) {
            if (in == null) {
                return UNKNOWN;
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", UNKNOWN);
        } catch (IOException e) {
            return UNKNOWN;
        }
    }
}
