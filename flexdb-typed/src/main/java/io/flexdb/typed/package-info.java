/**
 * Typed keyspaces: codecs turn keys and values into bytes and back. {@link io.flexdb.typed.TypedKeyspace} is where to
 * begin.
 */
@NullMarked
package io.flexdb.typed;

import org.jspecify.annotations.NullMarked;
