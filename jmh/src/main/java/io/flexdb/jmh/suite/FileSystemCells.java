package io.flexdb.jmh.suite;

import java.util.ArrayList;
import java.util.List;

/** The cells of suites on FlexSpace beside plain files. */
final class FileSystemCells {
    static final String OURS = "FlexSpace";

    private FileSystemCells() {}

    /** The names of those compared, ours first. */
    static List<String> subjects(Plan plan) {
        List<String> subjects = new ArrayList<>(List.of(OURS));
        plan.fileSystems().forEach(each -> subjects.add(each.substring(0, each.indexOf(':'))));
        return subjects;
    }

    /** Blocks of an address space; 262,144 of 4 and of 64 KiB in the paper. */
    static int blocks(Plan plan, int blockBytes) {
        return plan.of(1024, blockBytes > 4096 ? 16_384 : 65_536, 262_144);
    }

    /** A cell for each of those compared. */
    static List<Cell> of(Plan plan, String name, String part, int blockBytes, String... more) {
        List<Cell> cells = new ArrayList<>();
        for (String subject : subjects(plan)) {
            List<String> arguments = new ArrayList<>();
            if (plan.scale() == Scale.SMOKE) {
                arguments.add("--quick");
            }
            arguments.add("--rivals=" + String.join(",", plan.fileSystems()));
            arguments.add("--only=" + subject);
            arguments.add("--parts=" + part);
            arguments.add("--block=" + blockBytes);
            arguments.add("--blocks=" + blocks(plan, blockBytes));
            arguments.add("--insert-seconds=" + plan.of(1, 10, 60));
            arguments.add("--cold=" + (plan.cold() ? "yes" : "no"));
            arguments.addAll(List.of(more));
            cells.add(new Cell(name + " " + subject, subject, Program.TABLE2, "", arguments));
        }
        return cells;
    }
}
