package io.flexdb.publicapi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The types and members that a library has for its users: public and protected ones, in the packages that its module
 * exports to everybody.
 */
final class PublicApi {
    static final List<String> MODULES = List.of("flextree", "flexspace", "flexdb");

    private static final Pattern EXPORT = Pattern.compile("(?m)^ +exports ([\\w.]+);");
    private static final int NOT_OF_THE_API =
            Modifier.SYNCHRONIZED | Modifier.NATIVE | Modifier.TRANSIENT | Modifier.VOLATILE | Modifier.STRICT;

    private PublicApi() {}

    /** The packages that a module exports to everybody, by its declaration. */
    static Set<String> packages(String module) throws IOException {
        String text = Files.readString(sources(module).resolve("module-info.java"));
        return EXPORT.matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Path sources(String module) {
        return Path.of("..", module, "src", "main", "java");
    }

    /** The types of a module's API, nested ones included, by name. */
    static List<Class<?>> types(String module) throws IOException {
        List<Class<?>> types = new ArrayList<>();
        for (String name : packages(module)) {
            try (Stream<Path> files = Files.list(sources(module).resolve(name.replace('.', '/')))) {
                files.map(path -> path.getFileName().toString())
                        .filter(file -> file.endsWith(".java") && !file.equals("package-info.java"))
                        .map(file -> load(name + "." + file.substring(0, file.length() - ".java".length())))
                        .forEach(type -> addVisible(type, types));
            }
        }
        types.sort(Comparator.comparing(Class::getName));
        return types;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, PublicApi.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new UncheckedIOException(new IOException("no class for the source of " + name, e));
        }
    }

    private static void addVisible(Class<?> type, List<Class<?>> types) {
        if (isVisible(type.getModifiers())) {
            types.add(type);
            for (Class<?> nested : type.getDeclaredClasses()) {
                addVisible(nested, types);
            }
        }
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    /** The members of a type, and those that it has from types that users do not see. */
    static Map<String, AnnotatedElement> members(Class<?> type) {
        Map<String, AnnotatedElement> members = new LinkedHashMap<>();
        addMembers(type, members);
        for (Class<?> hidden : hiddenSupertypes(type)) {
            addMembers(hidden, members);
        }
        return members;
    }

    private static void addMembers(Class<?> type, Map<String, AnnotatedElement> members) {
        for (Field field : type.getDeclaredFields()) {
            if (isVisible(field.getModifiers()) && !field.isSynthetic()) {
                String text = modifiers(field.getModifiers()) + name(field.getGenericType()) + " " + field.getName();
                members.putIfAbsent(text, field);
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (isVisible(constructor.getModifiers()) && !constructor.isSynthetic()) {
                String text = modifiers(constructor.getModifiers()) + "new" + parameters(constructor);
                members.putIfAbsent(text, constructor);
            }
        }
        for (Method method : type.getDeclaredMethods()) {
            if (isVisible(method.getModifiers()) && !method.isSynthetic()) {
                String text = modifiers(method.getModifiers()) + (method.isDefault() ? "default " : "")
                        + variables(method.getTypeParameters()) + name(method.getGenericReturnType()) + " "
                        + method.getName() + parameters(method);
                members.putIfAbsent(text, method);
            }
        }
    }

    private static List<Class<?>> hiddenSupertypes(Class<?> type) {
        List<Class<?>> hidden = new ArrayList<>();
        Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()))
                .filter(above -> !isVisible(above.getModifiers()))
                .forEach(above -> {
                    hidden.add(above);
                    hidden.addAll(hiddenSupertypes(above));
                });
        return hidden;
    }

    /** A type and its members, a line each. */
    static List<String> lines(Class<?> type) {
        List<String> lines = new ArrayList<>();
        lines.add(header(type));
        members(type).keySet().stream().sorted().forEach(member -> lines.add("  " + member));
        return lines;
    }

    private static String header(Class<?> type) {
        String kind = type.isAnnotation()
                ? "annotation "
                : type.isInterface() ? "interface " : type.isEnum() ? "enum " : type.isRecord() ? "record " : "class ";
        int modifiers = type.getModifiers() & ~(Modifier.INTERFACE | Modifier.STATIC);
        if (type.isInterface()) {
            modifiers &= ~Modifier.ABSTRACT;
        }
        String above = Stream.concat(
                        Stream.ofNullable(type.getGenericSuperclass())
                                .filter(superclass -> superclass != Object.class && superclass != Record.class),
                        Arrays.stream(type.getGenericInterfaces()))
                .map(PublicApi::name)
                .collect(Collectors.joining(", "));
        return modifiers(modifiers)
                + (type.isSealed() ? "sealed " : "")
                + kind
                + type.getName()
                + variables(type.getTypeParameters())
                + (above.isEmpty() ? "" : " : " + above);
    }

    private static String modifiers(int modifiers) {
        String text = Modifier.toString(modifiers & ~NOT_OF_THE_API);
        return text.isEmpty() ? "" : text + " ";
    }

    private static String parameters(Executable member) {
        String text = Arrays.stream(member.getGenericParameterTypes())
                .map(PublicApi::name)
                .collect(Collectors.joining(", ", "(", ")"));
        if (member.isVarArgs()) {
            text = text.replaceFirst("\\[\\]\\)$", "...)");
        }
        String thrown = Arrays.stream(member.getGenericExceptionTypes())
                .map(PublicApi::name)
                .sorted()
                .collect(Collectors.joining(", "));
        return thrown.isEmpty() ? text : text + " throws " + thrown;
    }

    private static String variables(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Arrays.stream(variables)
                        .map(variable -> variable.getName()
                                + Arrays.stream(variable.getBounds())
                                        .filter(bound -> bound != Object.class)
                                        .map(bound -> " extends " + name(bound))
                                        .collect(Collectors.joining()))
                        .collect(Collectors.joining(", ", "<", "> "));
    }

    private static String name(Type type) {
        return type.getTypeName();
    }

    /** All classes that the declaration of a type, or that of a member of it, mentions. */
    static Set<Class<?>> mentioned(AnnotatedElement declared) {
        Set<Class<?>> classes = new TreeSet<>(Comparator.comparing(Class::getName));
        for (Annotation annotation : declared.getAnnotations()) {
            classes.add(annotation.annotationType());
        }
        if (declared instanceof Class<?> type) {
            Stream.concat(Stream.ofNullable(type.getGenericSuperclass()), Arrays.stream(type.getGenericInterfaces()))
                    .forEach(above -> addClasses(above, classes));
            addBounds(type.getTypeParameters(), classes);
        } else if (declared instanceof Field field) {
            addClasses(field.getGenericType(), classes);
        } else if (declared instanceof Executable member) {
            Arrays.stream(member.getGenericParameterTypes()).forEach(type -> addClasses(type, classes));
            Arrays.stream(member.getGenericExceptionTypes()).forEach(type -> addClasses(type, classes));
            addBounds(member.getTypeParameters(), classes);
            if (member instanceof Method method) {
                addClasses(method.getGenericReturnType(), classes);
            }
        }
        return classes;
    }

    private static void addBounds(TypeVariable<?>[] variables, Set<Class<?>> classes) {
        for (TypeVariable<?> variable : variables) {
            Arrays.stream(variable.getBounds())
                    .filter(bound -> !(bound instanceof TypeVariable<?>))
                    .filter(bound -> !bound.getTypeName().contains("<" + variable.getName())) // names itself
                    .forEach(bound -> addClasses(bound, classes));
        }
    }

    private static void addClasses(Type type, Set<Class<?>> classes) {
        if (type instanceof Class<?> plain) {
            Class<?> element = plain;
            while (element.isArray()) {
                element = element.getComponentType();
            }
            classes.add(element);
        } else if (type instanceof ParameterizedType generic) {
            addClasses(generic.getRawType(), classes);
            Arrays.stream(generic.getActualTypeArguments()).forEach(argument -> addClasses(argument, classes));
        } else if (type instanceof GenericArrayType array) {
            addClasses(array.getGenericComponentType(), classes);
        } else if (type instanceof WildcardType wildcard) {
            Stream.of(wildcard.getUpperBounds(), wildcard.getLowerBounds())
                    .flatMap(Arrays::stream)
                    .forEach(bound -> addClasses(bound, classes));
        }
    }
}
