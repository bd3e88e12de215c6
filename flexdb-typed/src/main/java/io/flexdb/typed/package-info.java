/**
 * Typed keyspaces: codecs turn keys and values into bytes and back. {@link io.flexdb.typed.TypedKeyspace} is where to
 * begin.
 */
package io.flexdb.typed;
