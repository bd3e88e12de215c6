/** What the JVM allows, and what a store makes of it. */
package io.flexdb.internal.memory;
