package io.flexdb.cli;

import io.flexdb.FlexDBReader;
import io.flexdb.ValueReader;
import java.io.IOException;
import java.nio.channels.Channels;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the value of a key. */
@Command(name = "get", description = "Print the value of a key; exit code 1 if it is absent.")
final class GetCommand extends ToolCommand {
    @Mixin
    private StoreDirectory store;

    @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
    private String key;

    @Mixin
    private KeyspaceOption keyspace;

    @Option(
            names = "--format",
            paramLabel = "text|hex|json",
            description = "Print it on a line. Default: its bytes as they are, and nothing behind them.")
    private PairFormat format;

    @Override
    int run() throws IOException {
        byte[] bytes = ByteArgument.bytes(cli(), key);
        try (FlexDBReader reader = store.openReadOnly(cli());
                ValueReader value =
                        StoreDirectory.keyspace(reader, keyspace.name()).openValue(bytes)) {
            if (value == null) {
                return ExitCode.NOT_FOUND;
            }
            if (format == null) {
                value.transferTo(Channels.newChannel(out().stream()));
            } else {
                out().line(format.bytes(Channels.newInputStream(value).readAllBytes()));
            }
            return ExitCode.DONE;
        }
    }
}
