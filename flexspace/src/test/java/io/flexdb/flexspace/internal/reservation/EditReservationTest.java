package io.flexdb.flexspace.internal.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EditReservationTest {
    private final EditReservation.Granted granted = new EditReservation.Granted();

    @Test
    void nothingIsGrantedAtFirst() {
        assertFalse(granted.take(0));
    }

    @Test
    void eachChangeTakesItsPartUntilTheChangesAreUsedUp() {
        granted.grant(3, 1000);
        assertTrue(granted.take(0));
        assertTrue(granted.take(400));
        assertTrue(granted.take(600));
        assertFalse(granted.take(0));
    }

    @Test
    void aChangeThatIsTooLargeTakesNothing() {
        granted.grant(3, 1000);
        assertTrue(granted.take(700));
        assertFalse(granted.take(301));
        assertEquals(2, granted.changes());
        assertEquals(300, granted.bytes());
        assertTrue(granted.take(300));
    }

    @Test
    void withoutBytesOnlyWhatAppendsNothingIsGranted() {
        granted.grant(2, -5);
        assertFalse(granted.take(1));
        assertTrue(granted.take(0));
    }

    @Test
    void whatIsRevokedIsGone() {
        granted.grant(3, 1000);
        granted.revoke();
        assertFalse(granted.take(0));
    }
}
