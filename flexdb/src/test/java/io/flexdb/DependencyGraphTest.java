package io.flexdb;

import static io.flexdb.DependencyGraph.INITIAL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.flexdb.DependencyGraph.Node;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each anomaly by its smallest history: the graph must show it where it is one, and nowhere else. */
class DependencyGraphTest {
    private static final int X = 1;
    private static final int Y = 2;
    private static final int Z = 3;

    private int sessions;

    private Node node(String name) {
        return new Node(name, sessions++, true);
    }

    private static void assertSound(Node... inOrder) {
        DependencyGraph graph = new DependencyGraph(List.of(inOrder));
        assertNull(graph.cycleOfSnapshots());
        assertNull(graph.cycleOfSerializable());
    }

    private static void assertNeither(Node... inOrder) {
        DependencyGraph graph = new DependencyGraph(List.of(inOrder));
        assertNotNull(graph.cycleOfSnapshots());
        assertNotNull(graph.cycleOfSerializable());
    }

    private static void assertSnapshotsOnly(Node... inOrder) {
        DependencyGraph graph = new DependencyGraph(List.of(inOrder));
        assertNull(graph.cycleOfSnapshots());
        assertNotNull(graph.cycleOfSerializable());
    }

    @Test
    void whatComesOneAfterTheOtherIsSound() {
        Node one = node("one").read(X, INITIAL).write(X, Y);
        Node two = node("two").read(X, one).read(Y, one).write(X);
        Node reader = node("reader").read(X, two).read(Y, one).read(Z, INITIAL);
        Node blind = node("blind").write(X, Z);
        assertSound(one, two, reader, blind);
        assertSound();
    }

    @Test
    void anOldSnapshotIsSound() {
        Node one = node("one").write(X, Y);
        Node reader = node("reader").read(X, INITIAL).read(Y, INITIAL);
        Node two = node("two").read(Y, one).write(X);
        assertSound(one, two, reader);
    }

    @Test
    void aLostUpdateIsFound() {
        Node one = node("one").read(X, INITIAL).write(X);
        Node two = node("two").read(X, INITIAL).write(X);
        assertNeither(one, two);
    }

    @Test
    void aFracturedReadIsFound() {
        Node one = node("one").write(X, Y);
        Node reader = node("reader").read(X, one).read(Y, INITIAL);
        assertNeither(one, reader);
    }

    @Test
    void aSkewedReadIsFound() {
        Node one = node("one").read(X, INITIAL).write(X);
        Node two = node("two").read(X, one).write(Y);
        Node reader = node("reader").read(Y, two).read(X, INITIAL);
        assertNeither(one, two, reader);
    }

    @Test
    void aLongForkIsFound() {
        Node one = node("one").write(X);
        Node two = node("two").write(Y);
        Node left = node("left").read(X, one).read(Y, INITIAL);
        Node right = node("right").read(X, INITIAL).read(Y, two);
        assertNeither(one, two, left, right);
    }

    @Test
    void whatIsReadInACircleIsFound() {
        Node one = node("one").write(X);
        Node two = node("two").write(Y).read(X, one);
        one.read(Y, two);
        assertNeither(one, two);
    }

    @Test
    void aSessionThatDoesNotSeeItsOwnWriteIsFound() {
        Node write = new Node("write", 100, true).write(X);
        Node read = new Node("read", 100, true).read(X, INITIAL);
        assertNeither(write, read);
    }

    @Test
    void writeSkewIsAllowedUnderSnapshotIsolationOnly() {
        Node one = node("one").read(X, INITIAL).read(Y, INITIAL).write(X);
        Node two = node("two").read(X, INITIAL).read(Y, INITIAL).write(Y);
        assertSnapshotsOnly(one, two);
        assertEquals("one -rw 2-> two -rw 1-> one", new DependencyGraph(List.of(one, two)).cycleOfSerializable());
    }

    @Test
    void writeSkewAmongThreeIsFound() {
        Node one = node("one").read(X, INITIAL).write(Y);
        Node two = node("two").read(Y, INITIAL).write(Z);
        Node three = node("three").read(Z, INITIAL).write(X);
        assertSnapshotsOnly(one, two, three);
    }

    @Test
    void aPhantomIsWriteSkewAmongKeysThatWereNotThere() {
        Node one =
                node("one").read(X, INITIAL).read(Y, INITIAL).read(Z, INITIAL).write(4);
        Node two = node("two").read(4, INITIAL).read(5, INITIAL).write(Y);
        assertSnapshotsOnly(one, two);
    }

    /** The anomaly of Fekete, O'Neil and O'Neil: without the reader all is sound. */
    @Test
    void whoOnlyReadsMayShowThatTwoWereNotSerializable() {
        Node withdrawal = node("withdrawal").read(X, INITIAL).read(Y, INITIAL).write(X);
        Node deposit = node("deposit").read(Y, INITIAL).write(Y);
        Node reader = node("reader").read(X, INITIAL).read(Y, deposit);
        assertSound(deposit, withdrawal);
        assertSnapshotsOnly(deposit, reader, withdrawal);
    }

    @Test
    void skewWithATransactionUnderSnapshotIsolationIsItsOwnFault() {
        Node one = node("one").read(X, INITIAL).write(Y);
        Node two = new Node("two", 100, false).read(Y, INITIAL).write(X);
        assertSound(one, two);
        Node three = node("three").read(X, INITIAL).write(Y);
        Node four = node("four").read(Y, INITIAL).write(X);
        assertSnapshotsOnly(three, four);
        Node lost = new Node("lost", 101, false).read(X, INITIAL).write(X);
        assertNotNull(new DependencyGraph(List.of(node("five").write(X), lost)).cycleOfSnapshots());
    }
}
