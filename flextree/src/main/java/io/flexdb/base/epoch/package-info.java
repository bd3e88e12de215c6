/**
 * Who may still read what a writer has replaced, and what can be freed: epochs and queues of what is retired. Not part
 * of the public surface.
 */
package io.flexdb.base.epoch;
