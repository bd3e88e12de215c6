/** Stores of other engines, as the command imports them. Not for use by programs. */
package io.flexdb.cli.foreign;
