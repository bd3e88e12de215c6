package io.flexdb.jmh;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JVM that runs what is measured: the one that runs this. */
public final class Jvm {
    private static final int FIRST_TO_ASK = 22; // whether native access is enabled: rivals don't, FlexDB does

    private Jvm() {}

    /** How a command begins that runs a class in it, with native access, which others take and FlexDB wants for JNA. */
    public static List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= FIRST_TO_ASK) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        return command;
    }
}
