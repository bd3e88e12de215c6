package io.flexdb.it;

import io.flexdb.Durability;
import io.flexdb.FlexDB;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;

/** Takes the steps of a {@link MergeHistory} from one on, and says after each that it has returned, until it is killed. */
final class KilledMerger {
    private KilledMerger() {}

    public static void main(String[] args) throws IOException {
        MergeHistory history = new MergeHistory(Long.parseLong(args[2]));
        DataOutputStream out = new DataOutputStream(System.out);
        try (FlexDB db =
                FlexDB.open(Path.of(args[0]), MergeHistory.options().withDurability(Durability.valueOf(args[1])))) {
            for (long step = Long.parseLong(args[3]); ; step++) {
                history.apply(step, db);
                out.writeLong(step);
                out.flush();
            }
        }
    }
}
