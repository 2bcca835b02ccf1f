#!/usr/bin/env bash
# short_campaign.sh PYTHON SCRIPT ARGUMENT...: a campaign of this folder; skipped (77) where there is no Python.
set -euo pipefail
[[ -n $1 ]] || { echo "no Python 3"; exit 77; }
exec "$1" "$(dirname "${BASH_SOURCE[0]}")/$2" "${@:3}"
