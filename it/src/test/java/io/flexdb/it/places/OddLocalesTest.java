package io.flexdb.it.places;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Places with other languages, time zones, charsets and messages. */
class OddLocalesTest extends OddPlaces {
    static List<OddPlace> places() {
        return places(true);
    }

    @ParameterizedTest
    @MethodSource("places")
    void theStoreIsAtHomeEverywhere(OddPlace place) throws Exception {
        theStoreIsAtHomeIn(place);
    }
}
