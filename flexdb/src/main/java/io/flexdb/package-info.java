/**
 * FlexDB, an embedded ordered key-value store that keeps all its data sorted in one flexible address space (section 5
 * of the paper "Building an Efficient Key-Value Store in a Flexible Address Space", EuroSys'22). Begin with
 * {@link io.flexdb.FlexDB}.
 */
@NullMarked
package io.flexdb;

import org.jspecify.annotations.NullMarked;
