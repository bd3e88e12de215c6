/**
 * FlexSpace, a crash-safe log-structured engine that gives a persistent address space in which bytes are inserted and
 * removed in place (section 4 of the paper "Building an Efficient Key-Value Store in a Flexible Address Space",
 * EuroSys'22).
 */
@NullMarked
package io.flexdb.flexspace;

import org.jspecify.annotations.NullMarked;
