package io.flexdb.flextree.internal.image;

import java.util.function.Consumer;

/** Builds nothing from images, and lets the walk go on behind those that are bad. */
record ImageChecker(Consumer<BadNodeException> problems) implements ImageWalk.Visitor {
    @Override
    public void visit(NodeImage image, long logicalOffset) {
        // the walk verifies it
    }

    @Override
    public void problem(BadNodeException problem) {
        problems.accept(problem);
    }

    @Override
    public void unusable(BadNodeException problem, int level) {
        String found = problem.found() + (level == 0 ? "" : "; nothing below it can be reached");
        problems.accept(new BadNodeException(problem.slot(), problem.expected(), found));
    }
}
