/** The range filter: what says without reading that a key, or a range of keys, is absent. */
package io.flexdb.internal.filter;
