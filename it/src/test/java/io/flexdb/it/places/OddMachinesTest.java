package io.flexdb.it.places;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Places with less memory, few descriptors, other file systems, or rules of another operating system. */
class OddMachinesTest extends OddPlaces {
    static List<OddPlace> places() {
        return places(false);
    }

    @ParameterizedTest
    @MethodSource("places")
    void theStoreIsAtHomeEverywhere(OddPlace place) throws Exception {
        theStoreIsAtHomeIn(place);
    }
}
