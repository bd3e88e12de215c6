/** Reading: point lookups, cursors, and how intervals come into memory. */
package io.flexdb.internal.read;
