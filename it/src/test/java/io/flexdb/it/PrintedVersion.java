package io.flexdb.it;

import io.flexdb.FlexDB;

/** Prints the version of the library, and the name of the module that it is in. */
final class PrintedVersion {
    private PrintedVersion() {}

    public static void main(String[] args) {
        System.out.println(FlexDB.version() + " " + FlexDB.class.getModule().getName());
    }
}
