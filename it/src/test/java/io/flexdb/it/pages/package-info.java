/** The code of the pages {@code docs/tutorial.md} and {@code docs/recipes.md}, by the public API alone, and tests of it. */
package io.flexdb.it.pages;
