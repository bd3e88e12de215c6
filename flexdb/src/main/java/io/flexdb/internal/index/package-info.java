/** The sparse index: from a key to the interval of the FlexSpace that holds it. */
package io.flexdb.internal.index;
