/** Files in memory that lose power, fail and forget as real ones do, from a seed. For the tests of every module. */
package io.flexdb.flexspace.simulation;
