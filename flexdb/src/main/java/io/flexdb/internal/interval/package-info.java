/** What an interval is: how large it may be, the number of its content, when it is divided or joined. */
package io.flexdb.internal.interval;
