/** All pairs of a space, one after the other, read past what is damaged. */
package io.flexdb.internal.walk;
