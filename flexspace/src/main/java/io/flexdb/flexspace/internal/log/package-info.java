/** The logical log: its format, what is appended to it and what reads it. Not part of the public surface. */
package io.flexdb.flexspace.internal.log;
