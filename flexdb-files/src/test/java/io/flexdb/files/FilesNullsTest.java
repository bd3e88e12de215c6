package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Null where a parameter is not annotated as nullable gives a NullPointerException and changes nothing. */
class FilesNullsTest extends FilesTest {
    private int tried;

    @Test
    void nullIsRefusedWhereItMeansNothing() throws Exception {
        Files.createDirectory(path("/d"));
        Files.createFile(path("/d/f"));
        String before = fixture.files().check().toString();
        List<String> wrong = new ArrayList<>();
        List<Object> receivers = List.of(
                fixture.files(),
                fixture.files().provider(),
                FlexFilesOptions.defaults(),
                fixture.files().check());
        for (Object receiver : receivers) {
            for (Method method : receiver.getClass().getMethods()) {
                if (method.getDeclaringClass().getPackage() == FlexFileSystem.class.getPackage()
                        && Modifier.isPublic(method.getDeclaringClass().getModifiers())
                        && !method.getName().equals("equals")) {
                    sweep(receiver, method, wrong);
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(tried > 45, "only some parameters were tried: " + tried);
        assertEquals(before, fixture.files().check().toString());
        assertTrue(FlexFileSystem.class.getPackage().isAnnotationPresent(NullMarked.class));
    }

    private void sweep(Object receiver, Method method, List<String> wrong) throws Exception {
        Class<?>[] types = method.getParameterTypes();
        for (int at = 0; at < types.length; at++) {
            if (types[at].isPrimitive()
                    || method.getAnnotatedParameterTypes()[at].isAnnotationPresent(Nullable.class)) {
                continue;
            }
            Object[] arguments = new Object[types.length];
            for (int i = 0; i < types.length; i++) {
                arguments[i] = i == at ? null : sample(method, types[i]);
            }
            tried++;
            Object outcome;
            try {
                outcome = method.invoke(Modifier.isStatic(method.getModifiers()) ? null : receiver, arguments);
            } catch (InvocationTargetException e) {
                outcome = e.getCause();
            }
            if (!(outcome instanceof NullPointerException)) {
                wrong.add(method + ", parameter " + at + ": " + outcome);
            }
        }
    }

    /** Something of a type, as a user would give it. */
    private Object sample(Method method, Class<?> type) {
        Map<Class<?>, Object> samples = Map.ofEntries(
                Map.entry(Path.class, path("/d")),
                Map.entry(URI.class, path("/d").toUri()),
                Map.entry(String.class, method.getName().equals("setAttribute") ? "creationTime" : "size"),
                Map.entry(String[].class, new String[0]),
                Map.entry(Object.class, FileTime.fromMillis(0)),
                Map.entry(Map.class, Map.of()),
                Map.entry(Set.class, Set.of(StandardOpenOption.READ)),
                Map.entry(BiConsumer.class, (BiConsumer<Object, Object>) (path, attributes) -> {}),
                Map.entry(DirectoryStream.Filter.class, (DirectoryStream.Filter<Object>) path -> true),
                Map.entry(FileAttribute[].class, new FileAttribute<?>[0]),
                Map.entry(LinkOption[].class, new LinkOption[0]),
                Map.entry(CopyOption[].class, new CopyOption[0]),
                Map.entry(
                        Class.class,
                        method.getName().equals("readAttributes")
                                ? BasicFileAttributes.class
                                : BasicFileAttributeView.class),
                Map.entry(InstantSource.class, InstantSource.system()),
                Map.entry(FlexDB.class, fixture.db()),
                Map.entry(FlexFilesOptions.class, FlexFilesOptions.defaults()),
                Map.entry(int.class, 1024));
        Object sample = samples.get(type);
        if (sample == null && type != FlexDBReader.class && !type.isArray()) {
            throw new AssertionError("no sample of " + type + " for " + method);
        }
        return sample;
    }
}
