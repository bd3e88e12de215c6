package io.flexdb.cli.foreign;

import io.flexdb.cli.foreign.ForeignStoreException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The engines whose stores can be imported. Each needs its library, from the class path or from jars that the user
 * names; the class that calls it is loaded beside these, so that both find each other.
 */
public enum ForeignKind {
    /** RocksDB: a directory. */
    ROCKSDB("RocksDB", "RocksDriver", "org.rocksdb.RocksDB", "org.rocksdb:rocksdbjni"),
    /** LMDB: a directory with data.mdb, or a file. */
    LMDB("LMDB", "LmdbDriver", "org.lmdbjava.Env", "org.lmdbjava:lmdbjava"),
    /** MVStore of H2: a file. */
    MVSTORE("MVStore", "MvStoreDriver", "org.h2.mvstore.MVStore", "com.h2database:h2-mvstore"),
    /** MapDB 3: a file. */
    MAPDB("MapDB", "MapDbDriver", "org.mapdb.DBMaker", "org.mapdb:mapdb");

    private static final String PACKAGE = "io.flexdb.cli.foreign.drivers.";

    private final String engine;
    private final String driver;
    private final String libraryClass;
    private final String artifact;

    ForeignKind(String engine, String driver, String libraryClass, String artifact) {
        this.engine = engine;
        this.driver = PACKAGE + driver;
        this.libraryClass = libraryClass;
        this.artifact = artifact;
    }

    /** Its name, for people. */
    public String engine() {
        return engine;
    }

    /** Work that needs the library. */
    @FunctionalInterface
    public interface Work<T> {
        /** Runs. */
        T run(ForeignDriver driver) throws Exception;
    }

    /**
     * Loads the library and does something with it.
     *
     * @param driverPath jars, or directories with jars, in which it is looked for before the class path
     * @throws ForeignStoreException if it is missing
     */
    public <T> T with(List<Path> driverPath, Work<T> work) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (Loader loader = new Loader(urls(driverPath))) {
            thread.setContextClassLoader(loader); // engines ask it for classes of keys and values
            return work.run(driver(loader));
        } catch (LinkageError e) {
            throw new ForeignStoreException(
                    Reason.CANNOT_OPEN,
                    "the library of " + engine + ", " + artifact + ", is not complete or does not run here: "
                            + e.getMessage() + "; --driver-path needs its jar, and the jars that it depends on",
                    e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private ForeignDriver driver(Loader loader) throws ReflectiveOperationException {
        try {
            Class.forName(libraryClass, false, loader);
        } catch (ClassNotFoundException e) {
            throw new ForeignStoreException(
                    Reason.CANNOT_OPEN,
                    "the library of " + engine + " is missing; get " + artifact + " with all that it depends on"
                            + " (mvn dependency:copy-dependencies), and give the directory of the jars with"
                            + " --driver-path",
                    e);
        }
        return (ForeignDriver)
                Class.forName(driver, true, loader).getDeclaredConstructor().newInstance();
    }

    private static List<URL> urls(List<Path> driverPath) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path path : driverPath) {
            if (!Files.exists(path)) {
                throw new ForeignStoreException(
                        Reason.CANNOT_OPEN,
                        path + " does not exist; --driver-path needs jars or their directory",
                        null);
            }
            if (Files.isDirectory(path)) {
                try (Stream<Path> entries = Files.list(path)) {
                    entries.filter(entry -> entry.toString().endsWith(".jar"))
                            .sorted()
                            .forEach(jar -> urls.add(url(jar)));
                }
            } else {
                urls.add(url(path));
            }
        }
        return urls;
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Loads libraries, and the classes that call them, which the loader of the command can't link. */
    private static final class Loader extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        Loader(List<URL> jars) {
            super(jars.toArray(URL[]::new), ForeignKind.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean isResolved) throws ClassNotFoundException {
            if (!name.startsWith(PACKAGE)) {
                return super.loadClass(name, isResolved);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (var in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
