/**
 * Off-heap memory with an account of it: chunks, huge pages, and nodes that are freed when nobody can read them any
 * more. Not part of the public surface.
 */
package io.flexdb.base.memory;
