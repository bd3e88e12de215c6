/**
 * The flexible address space beside plain files of several file systems, as in Table 2 and Figures 2 and 11 of the
 * paper (sections 2 and 6.2), and what the paper doesn't show of it: small records, garbage collection, recovery.
 */
package io.flexdb.jmh.flexspace;
