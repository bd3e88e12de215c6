/**
 * The engine: changes, durability, recovery, garbage collection. Stands on all other rooms. Not part of the public
 * surface.
 */
package io.flexdb.flexspace.internal.engine;
