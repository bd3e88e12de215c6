package io.flexdb.files.internal;

import java.util.List;

/** What a check has found. */
public record TreeCheck(long directories, long files, long links, long blocks, long bytes, List<String> problems) {}
