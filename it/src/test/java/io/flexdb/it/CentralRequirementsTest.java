package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Every published module has all that Maven Central asks for. Poms are read from the sources. Jars are looked at where
 * there are any: in a build by Maven they are made before this test runs.
 */
class CentralRequirementsTest {
    private static final String MAIN = PrintedVersion.class.getName();
    private static final Path ROOT = Path.of("..");
    private static final Element PARENT = pom(ROOT);

    static List<String> published() {
        List<String> modules = new ArrayList<>();
        for (Element module : children(child(PARENT, "modules"))) {
            modules.add(module.getTextContent());
        }
        return modules;
    }

    static List<String> jars() {
        return published().stream()
                .filter(module -> text(pom(ROOT.resolve(module)), "packaging") == null)
                .toList();
    }

    @Test
    void theModulesOfTestsAndBenchmarksAreNotPublished() {
        assertTrue(published().containsAll(List.of("flexdb-bom", "flextree", "flexspace", "flexdb", "flexdb-files")));
        for (String module : List.of("jmh", "it", "site")) {
            assertFalse(published().contains(module));
            for (String goal : List.of("install", "deploy")) {
                Element pom = pom(ROOT.resolve(module));
                assertEquals("true", text(pom, "properties", "maven." + goal + ".skip"), module);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("published")
    void aPomDescribesTheModule(String module) {
        Element pom = pom(ROOT.resolve(module));
        assertEquals("io.flexdb", text(pom, "parent", "groupId"));
        assertEquals("${revision}", text(pom, "parent", "version"));
        assertEquals(module, text(pom, "artifactId"));
        for (String[] path : new String[][] {
            {"name"},
            {"description"},
            {"url"},
            {"licenses", "license", "name"},
            {"licenses", "license", "url"},
            {"developers", "developer", "name"},
            {"scm", "connection"},
            {"scm", "developerConnection"},
            {"scm", "url"}
        }) {
            String own = text(pom, path);
            assertNotNull(own == null ? text(PARENT, path) : own, module + ": " + String.join("/", path));
        }
        assertNotNull(text(pom, "name"), "a name of its own");
        assertNotNull(text(pom, "description"), "a description of its own");
        assertEquals(0, pom.getElementsByTagName("repository").getLength(), "Central alone is asked for dependencies");
    }

    @ParameterizedTest
    @MethodSource("jars")
    void onlyTestsNeedJarsOfTests(String module) {
        Element dependencies = child(pom(ROOT.resolve(module)), "dependencies");
        for (Element dependency : children(dependencies)) {
            assertFalse("test-jar".equals(text(dependency, "type")), "goes to the profile \"tests\" of " + module);
        }
    }

    @Test
    void theBomHasEachPublishedJar() {
        Set<String> listed = new TreeSet<>();
        Element management = child(pom(ROOT.resolve("flexdb-bom")), "dependencyManagement");
        for (Element dependency : children(child(management, "dependencies"))) {
            listed.add(text(dependency, "artifactId"));
            assertEquals("io.flexdb", text(dependency, "groupId"));
            assertEquals("${project.version}", text(dependency, "version"));
        }
        assertEquals(new TreeSet<>(jars()), listed);
    }

    @Test
    void documentsAndExamplesNameTheVersion() throws IOException {
        String dependency =
                "<artifactId>flexdb</artifactId>\\s+<version>" + version().replace(".", "\\.") + "<";
        for (String file : List.of(
                "README.md",
                "examples/quickstart/pom.xml",
                "examples/service/pom.xml",
                "examples/spring-boot/pom.xml")) {
            String text = Files.readString(ROOT.resolve(file));
            assertTrue(text.matches("(?s).*" + dependency + ".*"), file + " does not have version " + version());
        }
        assertFalse(version().contains("SNAPSHOT"));
    }

    @ParameterizedTest
    @MethodSource("jars")
    void aJarSaysWhatItIsAndUnderWhichLicence(String module) throws IOException {
        Path jar = jar(module);
        assumeTrue(Files.exists(jar), "made by Maven's phase package only");
        try (JarFile file = new JarFile(jar.toFile())) {
            for (String name : List.of("LICENSE", "NOTICE")) {
                byte[] inJar =
                        file.getInputStream(file.getEntry("META-INF/" + name)).readAllBytes();
                assertEquals(Files.readString(ROOT.resolve(name)), new String(inJar, StandardCharsets.UTF_8), name);
            }
            Attributes manifest = file.getManifest().getMainAttributes();
            assertEquals(version(), manifest.getValue("Implementation-Version"));
            assertTrue(
                    file.getEntry("module-info.class") != null || manifest.getValue("Automatic-Module-Name") != null,
                    "the name of its module");
        }
        assertFalse(Files.exists(besides(module, "tests")) && isRelease(module), "a jar of tests in a release");
        if (isRelease(module)) {
            for (String kind : List.of("sources", "javadoc")) {
                assertTrue(Files.exists(besides(module, kind)), kind);
                assertTrue(Files.exists(Path.of(besides(module, kind) + ".asc")), "the signature of " + kind);
            }
        }
    }

    @Test
    void aPomThatIsPublishedStandsAlone() throws IOException {
        for (String module : published()) {
            Path flattened = ROOT.resolve(module).resolve("target/flattened-pom.xml");
            assumeTrue(Files.exists(flattened), "made by Maven only");
            Element pom = parse(flattened);
            assertEquals(null, child(pom, "parent"));
            assertEquals(version(), text(pom, "version"));
            for (String name : List.of("name", "description", "url", "licenses", "developers", "scm")) {
                assertNotNull(child(pom, name), module + ": " + name);
            }
            for (Element dependency : children(child(pom, "dependencies"))) {
                String scope = text(dependency, "scope");
                boolean optional = child(dependency, "optional") != null; // of users who bring it
                assertTrue(Set.of("compile", "runtime").contains(scope) || scope.equals("provided") && optional);
                assertFalse(text(dependency, "version").matches(".*(SNAPSHOT|\\$).*"));
            }
        }
    }

    @Test
    void theVersionIsKnownAtRunTimeOnClassPathAndModulePath() throws Exception {
        String path = pathOfJars();
        assertEquals(version() + " null", outputOf("-cp", path + File.pathSeparator + own(), MAIN));
        assertEquals(version() + " io.flexdb", outputOfModules(path, MAIN));
    }

    @Test
    void theFlightRecorderIsToldOfAStoreOnTheModulePath(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("events.jfr");
        String output = outputOfModules(
                pathOfJars(),
                "-XX:StartFlightRecording:filename=" + file,
                MAIN,
                directory.resolve("store").toString());
        assertTrue(output.contains(version() + " io.flexdb"), output);
        assertTrue(
                RecordingFile.readAllEvents(file).stream()
                        .anyMatch(event -> event.getEventType().getName().equals("io.flexdb.Open")),
                output);
    }

    @Test
    void aStoreNeedsNoModuleOfTheFlightRecorder(@TempDir Path directory) throws Exception {
        String store = directory.resolve("store").toString();
        assertEquals(
                version() + " io.flexdb", outputOfModules(pathOfJars(), "--limit-modules", "io.flexdb", MAIN, store));
    }

    private static String outputOfModules(String path, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("--module-path", path, "--add-modules", "io.flexdb", "-cp", own()));
        all.addAll(List.of(arguments));
        return outputOf(all.toArray(new String[0]));
    }

    private static String pathOfJars() {
        List<Path> jars = Stream.of("flextree", "flexspace", "flexdb")
                .map(CentralRequirementsTest::jar)
                .toList();
        assumeTrue(jars.stream().allMatch(Files::exists), "made by Maven's phase package only");
        return String.join(File.pathSeparator, jars.stream().map(Path::toString).toList());
    }

    private static String own() throws Exception {
        return Path.of(PrintedVersion.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
    }

    private static String outputOf(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output.strip();
    }

    private static String version() {
        return text(PARENT, "properties", "revision");
    }

    private static boolean isRelease(String module) {
        return Files.exists(Path.of(jar(module) + ".asc"));
    }

    private static Path jar(String module) {
        return ROOT.resolve(module).resolve("target").resolve(finalName(module) + ".jar");
    }

    private static Path besides(String module, String kind) {
        return ROOT.resolve(module).resolve("target").resolve(finalName(module) + "-" + kind + ".jar");
    }

    private static String finalName(String module) {
        String set = text(pom(ROOT.resolve(module)), "build", "finalName");
        return set == null ? module + "-" + version() : set;
    }

    // ---- XML

    private static Element pom(Path directory) {
        return parse(directory.resolve("pom.xml"));
    }

    private static Element parse(Path file) {
        try {
            Document document =
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
            return document.getDocumentElement();
        } catch (Exception e) {
            throw new AssertionError(file.toString(), e);
        }
    }

    private static List<Element> children(Element of) {
        List<Element> children = new ArrayList<>();
        if (of != null) {
            for (Node node = of.getFirstChild(); node != null; node = node.getNextSibling()) {
                if (node instanceof Element element) {
                    children.add(element);
                }
            }
        }
        return children;
    }

    private static Element child(Element of, String name) {
        return children(of).stream()
                .filter(element -> element.getTagName().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static String text(Element of, String... path) {
        Element at = of;
        for (String name : path) {
            at = at == null ? null : child(at, name);
        }
        return at == null || at.getTextContent().isBlank()
                ? null
                : at.getTextContent().strip();
    }
}
