package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The JVM's optimizing compiler compiles a hot method again as a part of each caller, unless it has more than {@code
 * FreqInlineSize} bytecodes, 325 by default. In a young JVM all threads wait for that. So these jars have no method of
 * a middling size: see {@code src/build/java/CompilationUnits.java}. They are made before this test runs.
 */
class CompilationUnitsTest {
    private static final int LEAST_BYTES = 60;
    private static final int FREQ_INLINE_SIZE = 325;

    @ParameterizedTest
    @ValueSource(strings = {"flexspace", "flexdb"})
    void methodsAreSmallOrTooLargeToBeCompiledWithTheirCallers(String module) throws IOException {
        Path file = jarOf(module);
        assumeTrue(file != null, "no jar: Maven makes them before it runs this");
        Map<String, Integer> middling = new TreeMap<>();
        int large = 0;
        try (JarFile jar = new JarFile(file.toFile())) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                if (entry.getName().endsWith(".class")) {
                    try (InputStream in = jar.getInputStream(entry)) {
                        large += look(new ClassReader(in), middling);
                    }
                }
            }
        }
        assertEquals(Map.of(), middling, "bytecodes of methods that are neither small nor units");
        assertTrue(large > 100, module + " has " + large + " units");
    }

    /** Maven would keep half a class file that a build has left which was killed: it would be newer than its source. */
    @Test
    void aClassFileIsReplacedAsAWhole(@TempDir Path directory) throws Exception {
        Path classes = Files.createDirectory(directory.resolve("classes"));
        Path file = classes.resolve("Middling.class");
        Files.write(file, middling());
        Path before = Files.createLink(directory.resolve("before"), file);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        Path.of(ClassReader.class
                                        .getProtectionDomain()
                                        .getCodeSource()
                                        .getLocation()
                                        .toURI())
                                .toString(),
                        Path.of("..", "src", "build", "java", "CompilationUnits.java")
                                .toString(),
                        classes.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertArrayEquals(middling(), Files.readAllBytes(before), "written in place");
        Map<String, Integer> middling = new TreeMap<>();
        assertEquals(1, look(new ClassReader(Files.readAllBytes(file)), middling));
        assertEquals(Map.of(), middling);
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(2, left.count(), "nothing else is left");
        }
    }

    /** A class with a method that is neither small nor large. */
    private static byte[] middling() {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V17, Opcodes.ACC_FINAL, "Middling", null, "java/lang/Object", null);
        MethodVisitor method = writer.visitMethod(Opcodes.ACC_STATIC, "middling", "()V", null, null);
        method.visitCode();
        for (int i = 0; i < 2 * LEAST_BYTES; i++) {
            method.visitInsn(Opcodes.NOP);
        }
        method.visitInsn(Opcodes.RETURN);
        method.visitMaxs(0, 0);
        method.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** The jar of a module's classes, or null if there is none. */
    private static Path jarOf(String module) throws IOException {
        try (var files = Files.newDirectoryStream(Path.of("..", module, "target"), module + "-[0-9]*.jar")) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (!name.contains("-tests") && !name.contains("-sources") && !name.contains("-javadoc")) {
                    return file;
                }
            }
        }
        return null;
    }

    /** Adds methods of a middling size, and returns how many are larger. */
    private static int look(ClassReader reader, Map<String, Integer> middling) {
        int[] large = new int[1];
        ClassWriter writer = new ClassWriter(reader, 0); // makes the bytes that are counted, as they are in the file
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String descriptor, String signature, String[] exceptions) {
                        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
                        return new MethodVisitor(Opcodes.ASM9, next) {
                            @Override
                            public void visitMaxs(int stack, int locals) {
                                Label end = new Label();
                                visitLabel(end);
                                int bytes = end.getOffset();
                                if (bytes > FREQ_INLINE_SIZE) {
                                    large[0]++;
                                } else if (bytes >= LEAST_BYTES && !name.startsWith("<")) {
                                    middling.put(reader.getClassName() + "." + name + descriptor, bytes);
                                }
                                super.visitMaxs(stack, locals);
                            }
                        };
                    }
                },
                0);
        return large[0];
    }
}
