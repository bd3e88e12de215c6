/** Large values, which are written to the data file first and linked by the commit. Above {@code batch}. */
package io.flexdb.internal.large;
