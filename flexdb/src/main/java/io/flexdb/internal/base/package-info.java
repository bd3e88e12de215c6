/** What all other rooms of a store go by: its settings. Knows none of them. */
package io.flexdb.internal.base;
