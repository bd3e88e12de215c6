/**
 * One class for each other engine, which calls that engine's library. Only {@link io.flexdb.cli.foreign.ForeignKind}
 * loads them, as the libraries may be missing. Not for use by programs.
 */
package io.flexdb.cli.foreign.drivers;
