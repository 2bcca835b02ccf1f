#!/bin/bash
# usage: search_path_test.sh BUILD_FOLDER SCRATCH_FOLDER
# Every built program, and cardiowarp where it is installed, look for libraries in folders that do not depend on where the
# user stands; those of the bundle are looked at by bundle_test.sh. Exits 77 (skipped) where there is no
# readelf.
set -euo pipefail
build=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/search_path.sh"
command -v readelf >/dev/null || { echo "skipped: no readelf (package binutils)"; exit 77; }

source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$scratch"
cmake --install "$build" --prefix "$scratch/installed" >"$scratch/install.log"
mapfile -t built < <(find "$build/app" "$build/tests" -path "$scratch" -prune -o -path '*/bundle' -prune -o \
  -path '*/CMakeFiles' -prune -o -type f -perm -u+x ! -name '*.*' -print)
[[ " ${built[*]} " == *"/app/cardiowarp "* ]] || { echo "no cardiowarp among ${built[*]}"; exit 1; }
safe_search_path "${built[@]}" "$scratch"/installed/bin/*
takes_no_library_from_here "$build/app/cardiowarp" "$scratch/here"
takes_no_library_from_here "$scratch/installed/bin/cardiowarp" "$scratch/here"
