/** Makes a site of static pages from the documents of the project, and checks their links. */
package io.flexdb.site;
