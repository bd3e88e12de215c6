/**
 * The classes that all rooms of the engine need: settings, health, the beginning of files, pauses of the writer. Not
 * part of the public surface.
 */
package io.flexdb.flexspace.internal.base;
