/** The figures of a store as meters of Micrometer: see {@link io.flexdb.micrometer.FlexDBMetrics}. */
package io.flexdb.micrometer;
