/**
 * The engine behind a FlexSpace: segments, logical log, FlexTree file, recovery, garbage collection. The store above
 * drives the engine itself, because it publishes space and key index together. Not part of the public surface.
 */
package io.flexdb.flexspace.internal;
