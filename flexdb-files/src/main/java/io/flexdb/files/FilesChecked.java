package io.flexdb.files;

import java.util.List;

/** The result of a check, which callers see as an interface only, so that a figure more breaks nobody. */
record FilesChecked(long directories, long files, long links, long blocks, long bytes, List<String> problems)
        implements FlexFilesCheckReport {
    FilesChecked {
        problems = List.copyOf(problems);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("FlexFilesCheckReport[directories=" + directories + ", files=" + files
                + ", links=" + links + ", blocks=" + blocks + ", bytes=" + bytes + "]");
        problems.forEach(problem -> text.append('\n').append(problem));
        return text.toString();
    }
}
