/** The store's own tests in places where it was not developed: foreign locales, small heaps, few descriptors. */
package io.flexdb.it.places;
