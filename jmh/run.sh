#!/usr/bin/env bash
# Measures FlexDB beside its rivals and makes a report; "jmh/run.sh help" tells the arguments.
#   jmh/run.sh list                        the suites
#   jmh/run.sh all --scale smoke           does everything run? Three minutes
#   jmh/run.sh fig13a table1 [options]     some suites; again with the same options, an interrupted run goes on
#   jmh/run.sh report --out DIR            the report of the results there are
#   jmh/run.sh program NAME [options]      one of the benchmark programs by itself, with all its own options:
#                                          kv, files, bulk, values, readers, kafka, table1 or table2; --help tells them
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

# Kafka Streams and a broker: nothing else here needs them, so they are built and got when they are asked for, and are
# where the tests of their module have them. Without them only their suite is left out.
kafka=$root/flexdb-kafka-streams
kafka_jars=$kafka/target/test-class-path
kafka_classes=
if [[ " $* " == *" kafka "* || " $* " == *" all "* ]]; then
  if [ ! -f "$kafka_jars" ] || [ -n "$(find "$root/pom.xml" "$root"/{flextree,flexspace,flexdb}/{pom.xml,src/main} \
    "$kafka"/{pom.xml,src} -type f -newer "$kafka_jars" -print -quit)" ]; then
    echo "Building the benchmarks of Kafka Streams ..." >&2
    rm -f "$kafka_jars"
    mvn -B -q -Dstyle.color=never -f "$root/pom.xml" -pl flexdb-kafka-streams -am \
      package dependency:build-classpath -Dmdep.outputFile=target/test-class-path -DskipTests \
      -Dspotless.check.skip -Djacoco.skip -Dmaven.javadoc.skip -Dmaven.source.skip >&2 ||
      echo "Kafka Streams can't be built." >&2
  fi
  if [ -f "$kafka_jars" ]; then
    kafka_classes=$kafka/target/test-classes:$kafka/target/classes:$(cat "$kafka_jars")
  fi
fi

java=java
if [ -n "${JAVA_HOME:-}" ]; then
  java=$JAVA_HOME/bin/java
fi

# LMDB wants what is opened.
opened=(--add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED)
main=(-Xmx512m -Djava.awt.headless=true "-Dflexdb.commit=$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)"
  "-Dflexdb.kafka.class.path=$kafka_classes" io.flexdb.jmh.suite.Evaluation)
path="$jar:$module/target/rivals/*"
if [ "${1:-}" = program ]; then
  case ${2:-} in
    kv) main=(io.flexdb.jmh.flexdb.KeyValue) ;;
    files) main=(io.flexdb.jmh.files.FileBenchmark) ;;
    bulk) main=("${opened[@]}" io.flexdb.jmh.flexdb.BulkLoads) ;;
    values) main=("${opened[@]}" io.flexdb.jmh.flexdb.LargeValues) ;;
    readers) main=(io.flexdb.jmh.flexdb.ReadersBeside) ;;
    kafka)
      [ -n "$kafka_classes" ] || exit 1 # Maven has said why
      path=$kafka_classes main=(-Xmx768m io.flexdb.kafka.StoreBenchmark)
      ;;
    table1) main=(io.flexdb.jmh.flextree.Table1) ;;
    table2) main=(-Xmx2g io.flexdb.jmh.flexspace.Table2) ;;
    *)
      echo "jmh/run.sh program: one of kv, files, bulk, values, readers, kafka, table1, table2, not \"${2:-}\"" >&2
      exit 2
      ;;
  esac
  shift 2
fi

cd "$root"
exec "$java" -cp "$path" "${main[@]}" "$@"
