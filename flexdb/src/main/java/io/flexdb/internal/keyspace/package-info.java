/** Named keyspaces: which there are, how they are made and dropped, and that nothing is written to a dropped one. */
package io.flexdb.internal.keyspace;
