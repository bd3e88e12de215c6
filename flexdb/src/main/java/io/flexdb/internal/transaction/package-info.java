/** Transactions: what they read and wrote, and whether somebody else has changed it since they began. */
package io.flexdb.internal.transaction;
