/** Places on the disk that a change will need, reserved before it is made. Not part of the public surface. */
package io.flexdb.flexspace.internal.reservation;
