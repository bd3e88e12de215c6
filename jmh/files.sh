#!/usr/bin/env bash
# A shorter name of "jmh/run.sh program files"; "jmh/files.sh --help" tells the arguments.
set -euo pipefail

exec "$(dirname "${BASH_SOURCE[0]}")/run.sh" program files "$@"
