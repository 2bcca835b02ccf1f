#!/usr/bin/env bash
# two_regions_test.sh PYTHON REFERENCE: the numbers kept in tests/data are those that the script computes; skipped (77)
# where there is no Python.
set -euo pipefail
[[ -n $1 ]] || { echo "no Python 3"; exit 77; }
exec "$1" "$2" --check
