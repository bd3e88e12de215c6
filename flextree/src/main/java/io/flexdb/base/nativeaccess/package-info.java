/**
 * Whether the functions of the operating system may be called. Not part of the public surface.
 */
package io.flexdb.base.nativeaccess;
