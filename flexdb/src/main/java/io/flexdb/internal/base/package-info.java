/**
 * What all rooms of a store go by: keys and their order, the format of records, the settings, and the threads and
 * memory that stores share. Knows none of the other rooms.
 */
package io.flexdb.internal.base;
