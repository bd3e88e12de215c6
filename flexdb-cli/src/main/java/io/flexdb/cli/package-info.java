/**
 * The command {@code flexdb}, which works on stores from outside a program: it shows, checks, copies, dumps, fills and
 * repairs them. {@link io.flexdb.cli.FlexDBCli} is its start; it uses the public API of FlexDB alone.
 */
package io.flexdb.cli;
