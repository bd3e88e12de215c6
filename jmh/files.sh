#!/usr/bin/env bash
# Measures files in FlexDB and its rivals, and those of the disk's own file system; "jmh/files.sh --help" tells the arguments.
set -euo pipefail

FLEXDB_BENCHMARK=io.flexdb.jmh.files.FileBenchmark exec "$(dirname "${BASH_SOURCE[0]}")/kv.sh" "$@"
