/** What can still be read of a damaged store. */
package io.flexdb.internal.salvage;
