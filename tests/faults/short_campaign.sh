#!/usr/bin/env bash
# short_campaign.sh PYTHON PROGRAM: some kills at random moments, each with its resumption; skipped (77) where there is no
# Python.
set -euo pipefail
[[ -n $1 ]] || { echo "no Python 3"; exit 77; }
exec "$1" "$(dirname "${BASH_SOURCE[0]}")/kill_and_resume.py" "$2" 12
