package io.flexdb.files;

import io.flexdb.files.internal.Entry;
import io.flexdb.files.internal.Times;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What a file system tells of a file, as of one moment. */
record FlexAttributes(Entry entry, Times times, FileKey fileKey) implements BasicFileAttributes {
    private static final String VIEW = "basic";
    private static final Map<String, Function<FlexAttributes, Object>> BY_NAME = new LinkedHashMap<>();

    static {
        BY_NAME.put("size", FlexAttributes::size);
        BY_NAME.put("creationTime", FlexAttributes::creationTime);
        BY_NAME.put("lastAccessTime", FlexAttributes::lastAccessTime);
        BY_NAME.put("lastModifiedTime", FlexAttributes::lastModifiedTime);
        BY_NAME.put("isDirectory", FlexAttributes::isDirectory);
        BY_NAME.put("isRegularFile", FlexAttributes::isRegularFile);
        BY_NAME.put("isSymbolicLink", FlexAttributes::isSymbolicLink);
        BY_NAME.put("isOther", FlexAttributes::isOther);
        BY_NAME.put("fileKey", FlexAttributes::fileKey);
    }

    /** What no two files have in common. */
    record FileKey(String fileSystem, long number) {}

    /** The name behind the name of a view; that of the basic one may be left out. */
    static String withoutView(String attributes) {
        int colon = attributes.indexOf(':');
        if (colon >= 0 && !attributes.substring(0, colon).equals(VIEW)) {
            throw new UnsupportedOperationException(
                    "there is no view \"" + attributes.substring(0, colon) + "\", but \"" + VIEW + "\"");
        }
        return attributes.substring(colon + 1);
    }

    /** Names of attributes, from what users give. */
    static List<String> names(String attributes) {
        String list = withoutView(attributes);
        List<String> names = new ArrayList<>();
        for (String name : list.split(",")) {
            if (name.equals("*")) {
                names.addAll(BY_NAME.keySet());
            } else if (BY_NAME.containsKey(name)) {
                names.add(name);
            } else {
                throw new IllegalArgumentException("attributes has a name of none: \"" + name + "\"");
            }
        }
        return names;
    }

    Map<String, Object> toMap(List<String> names) {
        Map<String, Object> values = new LinkedHashMap<>();
        names.forEach(name -> values.put(name, BY_NAME.get(name).apply(this)));
        return values;
    }

    /** The new times when an attribute is set. */
    static Times set(Times times, String attribute, FileTime value) {
        return switch (attribute) {
            case "lastModifiedTime" -> times.with(value, null, null);
            case "lastAccessTime" -> times.with(null, value, null);
            case "creationTime" -> times.with(null, null, value);
            default -> throw new AssertionError(attribute);
        };
    }

    static void requireTime(String attribute) {
        if (!Arrays.asList("lastModifiedTime", "lastAccessTime", "creationTime").contains(attribute)) {
            throw new IllegalArgumentException("attribute is none that can be set: \"" + attribute + "\"");
        }
    }

    @Override
    public FileTime lastModifiedTime() {
        return Times.fileTime(times.modified());
    }

    @Override
    public FileTime lastAccessTime() {
        return Times.fileTime(times.accessed());
    }

    @Override
    public FileTime creationTime() {
        return Times.fileTime(times.created());
    }

    @Override
    public boolean isRegularFile() {
        return entry.isFile();
    }

    @Override
    public boolean isDirectory() {
        return entry.isDirectory();
    }

    @Override
    public boolean isSymbolicLink() {
        return entry.isLink();
    }

    @Override
    public boolean isOther() {
        return false;
    }

    @Override
    public long size() {
        return entry.length();
    }
}
