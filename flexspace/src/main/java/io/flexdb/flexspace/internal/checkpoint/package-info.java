/**
 * The FlexTree file: header slots, slots of nodes, and the checkpoint that writes them. Not part of the public surface.
 */
package io.flexdb.flexspace.internal.checkpoint;
