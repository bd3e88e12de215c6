/** Memory and threads that stores share. */
package io.flexdb.internal.resources;
