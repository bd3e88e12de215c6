/** Files: a file system's schema on FlexDB and its rivals, {@code flexdb-files}, and the operating system's own. */
package io.flexdb.jmh.files;
