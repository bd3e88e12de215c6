/** Reading a store beside its writer: the state that its files have, and going on with it. */
package io.flexdb.internal.follow;
