/** Files of pairs in key order, apart from any store: what is exported and imported. */
package io.flexdb.internal.runfile;
