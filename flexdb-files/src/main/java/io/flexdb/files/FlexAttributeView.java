package io.flexdb.files;

import java.io.IOException;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/** The attributes of whatever a path leads to when it is asked. */
record FlexAttributeView(FlexPath path, boolean follow) implements BasicFileAttributeView {
    @Override
    public String name() {
        return "basic";
    }

    @Override
    public BasicFileAttributes readAttributes() throws IOException {
        return path.fileSystem().operations().attributes(path, follow);
    }

    @Override
    public void setTimes(FileTime lastModifiedTime, FileTime lastAccessTime, FileTime createTime) throws IOException {
        path.fileSystem()
                .operations()
                .setTimes(path, follow, old -> old.with(lastModifiedTime, lastAccessTime, createTime));
    }
}
