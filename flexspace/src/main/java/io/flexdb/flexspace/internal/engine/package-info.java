/** The engine: changes, commits of the log, recovery, garbage collection. Stands on all other rooms. Not part of the public surface. */
package io.flexdb.flexspace.internal.engine;
