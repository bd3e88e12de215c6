package io.flexdb.it.places;

import static org.junit.platform.engine.discovery.ClassNameFilter.excludeClassNamePatterns;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs tests in this JVM, and ends it with 0 if there were some and all passed: {@code ORDINARY}, that of an ordinary
 * store; {@code SHORT}, a few more; {@code FILES}, those of what becomes of files; {@code ALL}, all of the modules
 * below this one.
 */
final class SuiteRunner {
    /** Few, but some for each way to the operating system: names, charsets, messages, permissions, descriptors. */
    private static final String[] SHORT = {
        "io.flexdb.flexspace.FlexSpaceTest",
        "io.flexdb.flexspace.FullDiskTest",
        "io.flexdb.flexspace.internal.engine.FormatTablesTest",
        "io.flexdb.flexspace.internal.vfs.FileLocksTest",
        "io.flexdb.flexspace.internal.vfs.IoFailuresTest",
        "io.flexdb.flexspace.internal.vfs.RealVfsConformanceTest",
        "io.flexdb.FlexDBOpenTest",
        "io.flexdb.FlexDBScrubTest",
        "io.flexdb.internal.log.WalNamesTest"
    };

    /** Files are renamed, replaced and deleted while a store is open, by its end and after a crash. */
    private static final String[] FILES = {
        "io.flexdb.flexspace.FlexSpaceTest",
        "io.flexdb.flexspace.FlexSpaceModelTest",
        "io.flexdb.flexspace.FullDiskTest",
        "io.flexdb.FlexDBBackupsTest",
        "io.flexdb.FlexDBBulkLoadTest",
        "io.flexdb.FlexDBCheckpointTest",
        "io.flexdb.FlexDBExportTest",
        "io.flexdb.FlexDBFailedOpenTest",
        "io.flexdb.FlexDBModelTest",
        "io.flexdb.FlexDBOpenTest",
        "io.flexdb.FlexDBReaderTest",
        "io.flexdb.FlexDBSalvageTest"
    };

    private SuiteRunner() {}

    public static void main(String[] arguments) {
        System.out.println(Locale.getDefault() + ", " + TimeZone.getDefault().getID() + ", file.encoding "
                + System.getProperty("file.encoding") + ", sun.jnu.encoding "
                + System.getProperty("sun.jnu.encoding") + ", heap "
                + (Runtime.getRuntime().maxMemory() >> 20) + " MiB");
        boolean passed = false;
        try {
            passed = run(arguments[0]);
        } finally {
            Runtime.getRuntime().halt(passed ? 0 : 1); // a test that failed may leave threads
        }
    }

    private static boolean run(String which) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        request.selectors(selectClass(OrdinaryStoreTest.class));
        if (which.equals("ALL")) {
            request.selectors(selectPackage("io.flexdb"))
                    .filters(
                            includeClassNamePatterns(".*Tests?"),
                            excludeClassNamePatterns(".*KillTest|.*\\.Odd[a-zA-Z]*Test"));
        } else if (!which.equals("ORDINARY")) {
            for (String name : which.equals("FILES") ? FILES : SHORT) {
                request.selectors(selectClass(name));
            }
        }
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request.build(), summary, new ClassNames());
        TestExecutionSummary found = summary.getSummary();
        // ASCII whatever the place, as a stack trace may hold anything.
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.US_ASCII);
        found.printFailuresTo(out, 30);
        found.printTo(out);
        return found.getTotalFailureCount() == 0 && found.getTestsSucceededCount() > 0;
    }

    /** Says which class runs, for whoever looks at one that hangs. */
    private static final class ClassNames implements TestExecutionListener {
        @Override
        public void executionStarted(TestIdentifier test) {
            if (test.isContainer() && test.getParentId().isPresent()) {
                System.out.println(System.nanoTime() / 1_000_000 + " ms: " + test.getLegacyReportingName());
            }
        }
    }
}
