/**
 * Races of two threads, a few instructions long, which jcstress repeats by the million. The profile {@code jcstress}
 * runs them; docs/testing.md says how.
 */
package io.flexdb.it.race;
