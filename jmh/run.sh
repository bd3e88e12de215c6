#!/usr/bin/env bash
# Measures FlexDB beside its rivals and makes a report; "jmh/run.sh help" tells the arguments.
#   jmh/run.sh list                        the suites
#   jmh/run.sh all --scale smoke           does everything run? Minutes
#   jmh/run.sh fig13a table1 [options]     some suites; again with the same options, an interrupted run goes on
#   jmh/run.sh report --out DIR            the report of the results there are
#   jmh/run.sh program NAME [options]      one of the benchmark programs by itself, with all its own options:
#                                          kv, files, bulk, values, readers, table1 or table2; --help tells them
# Builds what is missing or older than its sources.
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

# LMDB wants what is opened.
opened=(--add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED)
main=(-Xmx512m -Djava.awt.headless=true "-Dflexdb.commit=$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)"
  io.flexdb.jmh.suite.Evaluation)
if [ "${1:-}" = program ]; then
  case ${2:-} in
    kv) main=(io.flexdb.jmh.flexdb.KeyValue) ;;
    files) main=(io.flexdb.jmh.files.FileBenchmark) ;;
    bulk) main=("${opened[@]}" io.flexdb.jmh.flexdb.BulkLoads) ;;
    values) main=("${opened[@]}" io.flexdb.jmh.flexdb.LargeValues) ;;
    readers) main=(io.flexdb.jmh.flexdb.ReadersBeside) ;;
    table1) main=(io.flexdb.jmh.flextree.Table1) ;;
    table2) main=(-Xmx2g io.flexdb.jmh.flexspace.Table2) ;;
    *)
      echo "jmh/run.sh program: one of kv, files, bulk, values, readers, table1, table2, not \"${2:-}\"" >&2
      exit 2
      ;;
  esac
  shift 2
fi

cd "$root"
exec "$java" -cp "$jar:$module/target/rivals/*" "${main[@]}" "$@"
