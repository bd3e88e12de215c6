#!/usr/bin/env bash
# Runs YCSB workloads on FlexDB and prints one table; "flexdb-ycsb/run.sh --help" tells the arguments.
# Builds what is missing or older than its sources.
set -euo pipefail

module=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$module")
jar=$module/target/flexdb-ycsb.jar

is_current() {
  [ -f "$jar" ] && [ -d "$module/target/lib" ] || return 1
  local newer
  newer=$(find "$root/pom.xml" "$root"/{flextree,flexspace,flexdb,flexdb-ycsb}/{pom.xml,src/main} "$module/workloads" \
    -type f -newer "$jar" -print -quit)
  [ -z "$newer" ]
}

if ! is_current; then
  echo "Building flexdb-ycsb ..." >&2
  mvn -B -q -Dstyle.color=never -f "$root/pom.xml" -pl flexdb-ycsb -am package -DskipTests \
    -Dspotless.check.skip -Djacoco.skip -Dmaven.javadoc.skip -Dmaven.source.skip >&2
  touch "$jar" # Maven leaves it as it is if only the modules below have changed
fi

java=java
if [ -n "${JAVA_HOME:-}" ]; then
  java=$JAVA_HOME/bin/java
fi

arguments=("$@")
if [ -t 2 ]; then
  arguments+=(--terminal)
fi

# The store of a run goes to a disk, which /tmp often is not.
exec "$java" "-Djava.io.tmpdir=${TMPDIR:-$module/target}" -cp "$jar" io.flexdb.ycsb.FlexDBYcsb ${arguments[@]+"${arguments[@]}"}
