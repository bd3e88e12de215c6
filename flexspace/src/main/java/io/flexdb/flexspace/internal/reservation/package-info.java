/** Places on the disk that a change will need, looked for before it is made. Not part of the public surface. */
package io.flexdb.flexspace.internal.reservation;
