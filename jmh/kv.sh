#!/usr/bin/env bash
# A shorter name of "jmh/run.sh program kv": measures FlexDB beside its rivals; "jmh/kv.sh --help" tells the arguments.
# "jmh/kv.sh bulk", "values" and "readers" are those programs, with arguments of their own.
set -euo pipefail

run=$(dirname "${BASH_SOURCE[0]}")/run.sh
case ${1:-} in
  bulk | values | readers) exec "$run" program "$@" ;;
  *) exec "$run" program kv "$@" ;;
esac
