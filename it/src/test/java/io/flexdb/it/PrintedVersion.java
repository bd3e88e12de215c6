package io.flexdb.it;

import io.flexdb.FlexDB;
import java.nio.file.Path;

/** Prints the version of the library, and the name of the module that it is in; opens a store if it is told one. */
final class PrintedVersion {
    private PrintedVersion() {}

    public static void main(String[] args) {
        System.out.println(FlexDB.version() + " " + FlexDB.class.getModule().getName());
        if (args.length > 0) {
            try (FlexDB db = FlexDB.open(Path.of(args[0]))) {
                db.put(new byte[1], new byte[1]);
            }
        }
    }
}
