/** The threads that all stores of a JVM share. */
package io.flexdb.internal.threads;
