package io.flexdb.flexspace.internal.reservation;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.log.LogBatch;

/**
 * The open parts of a space, which all that its writer does works on. They stay the same for as long as it is open.
 *
 * @param content its files, and what is in memory of them
 * @param settings of the space
 * @param epochs that its readers are in
 * @param batch log entries that wait
 * @param pauses knows when the writer waits for a file
 */
public record SpaceParts(
        SpaceContent content, SpaceSettings settings, Epochs epochs, LogBatch batch, WriterPauses pauses) {}
