package io.flexdb.cli;

import io.flexdb.FlexDB;
import io.flexdb.Keyspace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Removes keys. */
@Command(name = "delete", description = "Remove keys; exit code 1 if one of them is absent.")
final class DeleteCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "KEY", description = "The keys.")
    private List<String> keys;

    @Mixin
    private KeyspaceOption keyspace;

    @Override
    int run() throws IOException {
        List<byte[]> bytes = new ArrayList<>();
        for (String key : keys) {
            bytes.add(ByteArgument.bytes(cli(), key));
        }
        int absent = 0;
        try (FlexDB db = store.open(cli().options())) {
            Keyspace target = StoreDirectory.keyspace(db, keyspace.name());
            for (byte[] key : bytes) {
                absent += target.containsKey(key) ? 0 : 1;
                target.delete(key);
            }
        }
        return absent == 0 ? ExitCode.DONE : ExitCode.NOT_FOUND;
    }
}
