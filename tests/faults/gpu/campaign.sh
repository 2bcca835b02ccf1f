#!/usr/bin/env bash
# campaign.sh PYTHON PROGRAM: calls of CUDA that fail, one in each run, without a GPU; skipped (77) where there is no Python.
set -euo pipefail
[[ -n $1 ]] || { echo "no Python 3"; exit 77; }
exec "$1" "$(dirname "${BASH_SOURCE[0]}")/campaign.py" "$2" --no-gpu --faults 0 --seed 1
