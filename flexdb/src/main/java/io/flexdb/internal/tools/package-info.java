/**
 * Tools for a store from outside: backups, salvage, and files of sorted pairs. Above {@code open}.
 */
package io.flexdb.internal.tools;
