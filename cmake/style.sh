#!/bin/bash
# usage: style.sh format | format-check | tidy BUILD_FOLDER [FOLDER...]
# clang-tidy looks at the sources of all folders, or of those named.
# Version 14 of both tools, which Debian 12 and Ubuntu 24.04 have: another version lays the same code out differently.
# Exits 77 where the tool is not installed, which CTest counts as skipped.
set -euo pipefail
CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")/.."

require() {
  command -v "$1" >/dev/null || { echo "style.sh: $1 is not installed: apt-get install $2"; exit 77; }
}
mapfile -t sources < <(find kernels fem assembly solver meshes app tests \
  -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh' | sort)

case "${1-}" in
  format) require clang-format-14 clang-format-14 && clang-format-14 -i "${sources[@]}" ;;
  format-check) require clang-format-14 clang-format-14 && clang-format-14 --dry-run -Werror "${sources[@]}" ;;
  tidy)
    require run-clang-tidy-14 clang-tidy-14
    # Not the .cu files: their flags are nvcc's.
    build=$2
    shift 2
    (($#)) || set -- kernels fem assembly solver meshes app tests
    run-clang-tidy-14 -quiet -p "$build" -j "$(nproc)" "^$PWD/($(IFS='|'; echo "$*"))/.*\.cpp$"
    ;;
  *) sed -n '2s/^# //p' "$0" >&2; exit 2 ;;
esac
