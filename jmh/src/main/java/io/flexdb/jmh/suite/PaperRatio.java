package io.flexdb.jmh.suite;

import io.flexdb.jmh.Markdown;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A ratio of ours to a rival from the paper's text, where its plots have no numbers.
 *
 * @param label of what is compared
 * @param ours the subject, such as {@code FlexDB}
 * @param paper the range as the paper has it
 * @param experiments those it is of
 */
record PaperRatio(String label, String ours, String rival, String paper, List<String> experiments) {
    /** How many times as good as the rival's ours are here, from the worst to the best; empty if one was not measured. */
    Optional<String> here(Medians medians) {
        double[] ratios = experiments.stream()
                .filter(each -> medians.of(each).keySet().containsAll(List.of(ours, rival)))
                .mapToDouble(each -> ratio(each, medians))
                .filter(Double::isFinite)
                .sorted()
                .toArray();
        if (ratios.length == 0) {
            return Optional.empty();
        }
        String least = Markdown.number(ratios[0]);
        String most = Markdown.number(ratios[ratios.length - 1]);
        return Optional.of(ratios.length == 1 ? least : least + " to " + most);
    }

    private double ratio(String experiment, Medians medians) {
        Map<String, Medians.Value> values = medians.of(experiment);
        double mine = values.get(ours).median();
        double other = values.get(rival).median();
        return medians.moreIsBetter(experiment) ? mine / other : other / mine;
    }
}
