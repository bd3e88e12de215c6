package io.flexdb.cli;

import io.flexdb.FlexDB;
import io.flexdb.Keyspace;
import io.flexdb.WriteOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets the value of a key. */
@Command(name = "put", description = "Set the value of a key; it is durable when the command ends.")
final class PutCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
    private String key;

    @Parameters(index = "2", paramLabel = "VALUE", description = "The value.")
    private String value;

    @Mixin
    private KeyspaceOption keyspace;

    @Option(names = "--ttl", paramLabel = "TIME", description = "How long it lives, such as PT30M or P7D.")
    private Duration ttl;

    @Option(names = "--create", description = "Make the store if there is none.")
    private boolean create;

    @Override
    int run() throws IOException {
        if (key.equals("-") && value.equals("-")) {
            throw usage("standard input can be the key or the value, not both");
        }
        byte[] keyBytes = ByteArgument.bytes(cli(), key);
        byte[] valueBytes = ByteArgument.isFile(value) ? null : ByteArgument.bytes(cli(), value);
        WriteOptions options = ttl == null ? WriteOptions.defaults() : WriteOptions.timeToLive(ttl);
        try (FlexDB db = create ? store.openOrCreate(cli().options()) : store.open(cli().options())) {
            Keyspace target = StoreDirectory.keyspace(db, keyspace.name());
            if (valueBytes == null) {
                putFile(target, keyBytes, options);
            } else {
                target.put(keyBytes, valueBytes, options);
            }
        }
        return ExitCode.DONE;
    }

    /** A file may be larger than memory. */
    private void putFile(Keyspace target, byte[] keyBytes, WriteOptions options) throws IOException {
        try (FileChannel file = FileChannel.open(ByteArgument.file(value))) {
            target.put(keyBytes, file, file.size(), options);
        }
    }
}
