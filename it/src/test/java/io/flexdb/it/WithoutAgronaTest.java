package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flextree.FlexTree;
import java.io.File;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that depends on FlexDB and not on Agrona. */
class WithoutAgronaTest {
    @Test
    void aStoreWorksWhereThereIsNoAgrona(@TempDir Path temporary) {
        assertThrows(ClassNotFoundException.class, () -> Class.forName("org.agrona.DirectBuffer"));
        byte[] key = {1};
        try (FlexDB db = FlexDB.open(temporary.resolve("store"))) {
            db.put(key, key);
            assertArrayEquals(key, db.get(key));
        }
    }

    @Test
    void aModuleThatRequiresTheStoreIsCompiledWhereThereIsNoAgrona(@TempDir Path temporary) throws Exception {
        Path source = Files.writeString(temporary.resolve("module-info.java"), "module user { requires io.flexdb; }");
        StringWriter messages = new StringWriter();
        String modules = Stream.of(FlexDB.class, FlexSpace.class, FlexTree.class)
                .map(WithoutAgronaTest::place)
                .collect(Collectors.joining(File.pathSeparator));
        List<String> options = List.of("-p", modules, "-d", temporary.toString());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            boolean compiled = compiler.getTask(messages, files, null, options, null, files.getJavaFileObjects(source))
                    .call();
            assertTrue(compiled, messages::toString);
        }
    }

    /** The directory or archive that a class comes from, which is a module. */
    private static String place(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
