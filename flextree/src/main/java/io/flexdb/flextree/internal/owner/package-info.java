/**
 * A FlexTree as its owner within FlexDB sees it. Not part of the public surface.
 */
package io.flexdb.flextree.internal.owner;
