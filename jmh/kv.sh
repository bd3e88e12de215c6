#!/usr/bin/env bash
# Measures FlexDB beside its rivals; "jmh/kv.sh --help" tells the arguments. Builds what is missing or older than its sources.
# FLEXDB_BENCHMARK may name another program to run, as jmh/files.sh does.
# "jmh/kv.sh bulk --help" tells those of bulk loads, "jmh/kv.sh readers --help" those of readers beside a writer.
# "jmh/kv.sh values" takes none, or MiB for each line of its table and a directory.
set -euo pipefail

module=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$module")
jar=$module/target/benchmarks.jar

is_current() {
  [ -f "$jar" ] && [ -d "$module/target/rivals" ] || return 1
  local newer
  newer=$(find "$root/pom.xml" "$root"/{flextree,flexspace,flexdb,flexdb-ycsb,flexdb-files,jmh}/{pom.xml,src/main} -type f -newer "$jar" -print -quit)
  [ -z "$newer" ]
}

if ! is_current; then
  echo "Building the benchmarks ..." >&2
  mvn -B -q -Dstyle.color=never -f "$root/pom.xml" -pl jmh -am package -DskipTests \
    -Dspotless.check.skip -Djacoco.skip -Dmaven.javadoc.skip -Dmaven.source.skip >&2
  touch "$jar" # Maven leaves it as it is if only the modules below have changed
fi

java=java
if [ -n "${JAVA_HOME:-}" ]; then
  java=$JAVA_HOME/bin/java
fi

main=("${FLEXDB_BENCHMARK:-io.flexdb.jmh.flexdb.KeyValue}")
if [ "${1:-}" = bulk ]; then # bulk loads, which have arguments of their own; LMDB wants what is opened
  main=(--add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED io.flexdb.jmh.flexdb.BulkLoads)
  shift
elif [ "${1:-}" = values ]; then # likewise
  main=(--add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED io.flexdb.jmh.flexdb.LargeValues)
  shift
elif [ "${1:-}" = readers ]; then
  main=(io.flexdb.jmh.flexdb.ReadersBeside)
  shift
fi

cd "$root"
exec "$java" -cp "$jar:$module/target/rivals/*" "${main[@]}" "$@"
