/**
 * The base of all packages of a store: keys and their order, the format of records, the settings, who does background
 * work, and the threads and memory that stores share. It knows none of the other packages.
 */
package io.flexdb.internal.base;
