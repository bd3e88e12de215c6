package io.flexdb.flexspace.internal.vfs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;

/**
 * The content of a lock file: the process that holds the lock, and proof of it. Immutable.
 *
 * <pre>
 * line 1  the number of the process
 * line 2  when that process began, the boot of the system, the namespace of process numbers, and the identity of the
 *         file that is locked; missing where the system does not tell
 * </pre>
 */
public final class HolderRecord {
    /*
     * The problem: the lock of the operating system may get lost while its holder lives. The choice: a process that
     * gets the lock looks at the record before it believes that nobody has it. The record counts only if it names a
     * process that lives. A number alone proves nothing, because numbers are given again: so the record says when the
     * process began and in which boot. The identity of the file makes the record of a copied lock file count for
     * nothing. A process of another namespace or another computer can't be looked up; there the lock alone counts.
     */
    /** The space of a record in a file. It is always the same, so that a full disk has room for the next one. */
    static final int BYTES = 256;

    private static final int STATE_FIELD = 0; // of what follows the name in /proc/<n>/stat
    private static final int START_FIELD = 19;
    private static final Path PROC = Path.of("/proc");
    private static final boolean LINUX = System.getProperty("os.name", "").equals("Linux");

    private static final class OfSystem {
        private static final String BOOT = content(PROC.resolve("sys/kernel/random/boot_id"));
        private static final String NAMESPACE = target(PROC.resolve("self/ns/pid"));
        private static final boolean TELLS =
                BOOT != null && NAMESPACE != null && ("" + ownNumber()).equals(target(PROC.resolve("self")));
    }

    private final String number; // null: none
    private final String proof; // null: none

    private HolderRecord(String number, String proof) {
        this.number = number;
        this.proof = proof;
    }

    /**
     * The record of this process.
     *
     * @param identity of the file that it locks; null if it has none
     */
    static HolderRecord ofThisProcess(String identity) {
        long number = ownNumber();
        String proof = identity == null ? null : proof(number, identity);
        HolderRecord record = new HolderRecord(String.valueOf(number), proof);
        return record.text().length() < BYTES ? record : new HolderRecord(record.number, null);
    }

    /** The record that a file has; there may be anything in it. */
    static HolderRecord of(byte[] content) {
        String[] lines =
                new String(content, StandardCharsets.ISO_8859_1).strip().split("\n", 3);
        boolean isNumber = lines[0].matches("[0-9]{1,18}");
        return new HolderRecord(isNumber ? lines[0] : null, isNumber && lines.length > 1 ? lines[1].strip() : null);
    }

    /**
     * Whether bytes of a file, all of them, can be what a holder has written or erased, or what a power cut has left of
     * that. Nobody forces them, so a cut may leave anything; but hardly a text.
     */
    public static boolean mayBeOne(byte[] content) {
        String text = new String(content, StandardCharsets.ISO_8859_1);
        boolean isText = text.chars().allMatch(c -> c >= ' ' && c < 0x7F || Character.isWhitespace(c));
        return !isText || text.isBlank() || of(content).number != null;
    }

    /** The bytes to write. */
    byte[] bytes() {
        byte[] bytes = blank();
        byte[] text = text().getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(text, 0, bytes, 0, text.length);
        return bytes;
    }

    /** The bytes of a file that nobody holds. */
    static byte[] blank() {
        byte[] bytes = new byte[BYTES];
        Arrays.fill(bytes, (byte) ' ');
        bytes[BYTES - 1] = '\n';
        return bytes;
    }

    private String text() {
        return number + "\n" + (proof == null ? "" : proof + "\n");
    }

    /** Whether it proves that another process than this one lives and holds the file of an identity. */
    boolean provesAnotherHolder(String identity) {
        return proof != null
                && identity != null
                && !number.equals(String.valueOf(ownNumber()))
                && proof.equals(proof(Long.parseLong(number), identity));
    }

    /** The holder, in words. */
    String holder() {
        return number == null ? "an unknown process" : "process " + number;
    }

    private static long ownNumber() {
        return ProcessHandle.current().pid();
    }

    /** The proof that a process which lives must have; null if it does not live, or if that can't be told. */
    private static String proof(long number, String identity) {
        String start = LINUX ? startOnLinux(number) : startElsewhere(number);
        String system = LINUX ? OfSystem.BOOT + " " + OfSystem.NAMESPACE : "-";
        return start == null ? null : start + " " + system + " " + identity.replace(' ', '_');
    }

    private static String startOnLinux(long number) {
        Path process = PROC.resolve(String.valueOf(number));
        String stat = OfSystem.TELLS ? content(process.resolve("stat")) : null;
        if (stat == null) {
            return null;
        }
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
        boolean ended = fields[STATE_FIELD].matches("[ZXx]") && !hasThreads(process);
        return ended || fields.length <= START_FIELD ? null : fields[START_FIELD];
    }

    /** A process whose first thread has ended may have others that go on. */
    private static boolean hasThreads(Path process) {
        String[] threads = process.resolve("task").toFile().list();
        return threads != null && threads.length > 1;
    }

    private static String startElsewhere(long number) {
        return ProcessHandle.of(number)
                .filter(ProcessHandle::isAlive)
                .flatMap(process -> process.info().startInstant())
                .map(Objects::toString)
                .orElse(null);
    }

    private static String content(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            return null;
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return null;
        }
    }
}
