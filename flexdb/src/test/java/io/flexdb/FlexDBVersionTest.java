package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class FlexDBVersionTest {
    /** CentralRequirementsTest asks the jar. */
    @Test
    void classesThatAreInNoJarHaveNoVersion() {
        assertNull(FlexDB.class.getResource("/META-INF/maven/io.flexdb/flexdb/pom.properties"));
        assertEquals("unknown", FlexDB.version());
    }
}
