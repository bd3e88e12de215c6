package io.flexdb.jmh.suite;

import io.flexdb.jmh.flexdb.Use;
import java.util.ArrayList;
import java.util.List;

/** A tree of small files and a large file, in stores by one schema, in {@code flexdb-files} and on the disk. */
final class FilesSuite implements Suite {
    private static final List<String> EXPERIMENTS = List.of(
            "create files",
            "find",
            "find again",
            "ls",
            "ls again",
            "ls -l",
            "ls -l again",
            "stat, random",
            "read files, random",
            "grep",
            "write sequential",
            "overwrite 4 to 100 bytes, random",
            "read sequential",
            "rename a directory",
            "delete a tree, its entries");

    @Override
    public String name() {
        return "files";
    }

    @Override
    public String title() {
        return "Files";
    }

    private static int files(Plan plan) {
        return plan.of(2_000, 100_000, 1_000_000);
    }

    @Override
    public int cellSeconds(Plan plan) {
        return plan.of(4, 20, 300);
    }

    @Override
    public int rounds(Plan plan) {
        return plan.fewestRounds();
    }

    @Override
    public long diskBytes(Plan plan) {
        return (1L << 30) + 10_000L * files(plan);
    }

    @Override
    public List<Cell> cells(Plan plan) {
        List<String> subjects = new ArrayList<>(plan.storesFor(Use.FILES));
        subjects.addAll(List.of("files", "disk"));
        List<Cell> cells = new ArrayList<>();
        for (String subject : subjects) {
            List<String> arguments = new ArrayList<>();
            if (plan.scale() == Scale.SMOKE) {
                arguments.add("--quick");
            }
            arguments.add("--subjects=" + subject);
            arguments.add("--files=" + files(plan));
            if (plan.scale() == Scale.LAPTOP) {
                arguments.add("--warm-up=20000");
            }
            cells.add(new Cell("files " + subject, label(subject), Program.FILES, "", arguments));
        }
        return cells;
    }

    private static String label(String subject) {
        return switch (subject) {
            case "files" -> "flexdb-files";
            case "disk" -> "file system";
            default -> KeyValueCells.label(subject);
        };
    }

    @Override
    public List<Panel> panels(Plan plan) {
        List<Panel.Line> lines = EXPERIMENTS.stream()
                .map(experiment -> new Panel.Line(experiment, experiment))
                .toList();
        return List.of(new Panel(
                "A tree of " + KeyValueCells.thousands(files(plan)) + " files, and a large file",
                Panel.Shape.TABLE,
                lines));
    }
}
