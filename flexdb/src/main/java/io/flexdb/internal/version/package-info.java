/** What is readable: the version published last, the number of the last visible write, and pins. */
package io.flexdb.internal.version;
