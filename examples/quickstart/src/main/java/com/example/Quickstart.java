package com.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.FlexDB;
import java.nio.file.Path;

/** Run it by {@code mvn -q compile exec:java}: it counts how often it has been run. */
public final class Quickstart {
    public static void main(String[] args) {
        try (FlexDB db = FlexDB.open(Path.of("target", "data"))) {
            byte[] key = "runs".getBytes(UTF_8);
            byte[] found = db.get(key);
            int runs = found == null ? 1 : 1 + Integer.parseInt(new String(found, UTF_8));
            db.put(key, Integer.toString(runs).getBytes(UTF_8));
            System.out.println("FlexDB " + FlexDB.version() + ", run " + runs);
        }
    }
}
