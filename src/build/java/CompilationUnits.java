import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Makes each method of a middling size a unit that the JVM's optimizing compiler compiles by itself, once.
 *
 * <p>Without it, the compiler compiles such a method anew as a part of each of its hot callers: ten kilobytes of bytecode
 * at once, for a third of a second, and again whenever a branch is met that was left out. In the first ten seconds of a
 * JVM that took half of all processor time. The compiler leaves a hot method apart if it has more than {@code
 * FreqInlineSize} bytecodes, 325 by default. So methods from 60 bytecodes on are filled up to that with bytecodes that
 * are never reached, behind their end. Smaller ones are still compiled with their callers; a call costs next to nothing
 * beside the work of a larger one.
 *
 * <p>Run by Maven behind the Java compiler; nothing but speed depends on it. Running it twice changes nothing.
 *
 * <pre>
 * java -cp asm.jar src/build/java/CompilationUnits.java target/classes
 * </pre>
 */
final class CompilationUnits {
    private static final int LEAST_BYTES = 60;
    private static final int FREQ_INLINE_SIZE = 325;

    private CompilationUnits() {}

    /** @param arguments a directory of class files, which are replaced */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]).toAbsolutePath();
        Path unfinished = directory.resolveSibling(directory.getFileName() + ".unit"); // not there, or a jar had it
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(file -> file.toString().endsWith(".class")).toList();
        }
        for (Path file : files) {
            ClassReader reader = new ClassReader(Files.readAllBytes(file));
            ClassWriter writer = new ClassWriter(reader, 0);
            Units units = new Units(writer);
            reader.accept(units, 0);
            if (units.filled > 0) {
                // Half a class file would be newer than its source, so the next build would keep it.
                Files.write(unfinished, writer.toByteArray());
                Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static final class Units extends ClassVisitor {
        private int filled; // methods

        Units(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            if (name.startsWith("<")) { // constructors have frames of their own kind; few are that large
                return next;
            }
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitMaxs(int stack, int locals) {
                    Label end = new Label();
                    visitLabel(end);
                    int bytes = end.getOffset();
                    if (bytes >= LEAST_BYTES && bytes <= FREQ_INLINE_SIZE) {
                        fill(this, FREQ_INLINE_SIZE - bytes);
                        filled++;
                    }
                    super.visitMaxs(Math.max(1, stack), locals);
                }
            };
        }

        /** Appends some more bytes than that. */
        private static void fill(MethodVisitor code, int bytes) {
            code.visitFrame(Opcodes.F_FULL, 0, new Object[0], 0, new Object[0]);
            for (int i = 0; i < bytes; i++) {
                code.visitInsn(Opcodes.NOP);
            }
            code.visitInsn(Opcodes.ACONST_NULL);
            code.visitInsn(Opcodes.ATHROW);
        }
    }
}
