#!/bin/bash
# usage: style.sh format | format-check | tidy BUILD_FOLDER [FOLDER...]
# clang-tidy looks at the sources of all folders, or of those named, but not at one that has passed before as it is, with
# all that it includes and the same settings: their marks are in CARDIOWARP_TIDY_CACHE (~/.cache/cardiowarp/tidy).
# Version 14 of both tools, which Debian 12 and Ubuntu 24.04 have: another version lays the same code out differently.
# Exits 77 where the tool is not installed, which CTest counts as skipped.
set -euo pipefail
CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")/.."

require() {
  command -v "$1" >/dev/null || { echo "style.sh: $1 is not installed: apt-get install $2"; exit 77; }
}
mapfile -t sources < <(find kernels fem cellml assembly solver meshes app tests \
  -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh' | sort)

# The words of a source: its flags and the checksums of itself, of what it includes and of the settings, for all sources
# of BUILD_FOLDER in FOLDERS. Prints the checksum of each source's words, and the source. What ninja has not built yet
# has no words.
marks_of_sources() {  # BUILD_FOLDER SCRATCH_FOLDER FOLDER...
  local build=$1 scratch=$2 settings
  shift 2
  settings=$(clang-tidy-14 --version | sha256sum - .clang-tidy $(find "${rooms[@]}" -name .clang-tidy 2>/dev/null | sort) | cut -d ' ' -f 1 | tr -d '\n')
  # Not the .cu files: their flags are nvcc's. A source that is compiled twice has the flags of the first. They are taken
  # without the names of the compiler, the object and the folders, which say nothing of what is compiled.
  awk -v build="$(realpath "$build")" -v root="$PWD" '
    function without(text, folder,   at) {
      while ((at = index(text, folder)) > 0) text = substr(text, 1, at - 1) substr(text, at + length(folder))
      return text
    }
    /^ *"command": / { flags = without(without($0, build), root)
                       sub(/^[^-]* -/, "-", flags); gsub(/ -[oc] [^ ]+/, "", flags) }
    /^ *"file": ".*\.cpp",?$/ { file = $0; sub(/^ *"file": "/, "", file); sub(/",?$/, "", file)
                                if (!seen[file]++) print file, flags }' "$scratch/compile_commands.json" |
    grep -E "^$PWD/($(IFS='|'; echo "$*"))/" | sort >"$scratch/flags"
  cut -d ' ' -f 1 "$scratch/flags" >"$scratch/sources"
  ninja -C "$build" -t deps >"$scratch/deps" 2>/dev/null || true
  # Paths in it may be relative to the build folder.
  sed -n 's/^ *\([^ ].*\.[a-z]*\)$/\1/p' "$scratch/deps" | sort -u >"$scratch/paths"
  (cd "$build" && xargs -d '\n' -r realpath -m) <"$scratch/paths" | paste "$scratch/paths" - >"$scratch/places"
  awk -v root="$PWD/" '
    FILENAME ~ /sources$/ { wanted[$1] = 1; next }
    FILENAME ~ /places$/ { place[$1] = $2; next }
    /^[^ ]/ { source = ""; next }
    NF { file = place[$1]; if (source == "") { source = file in wanted && !seen[file]++ ? file : "none" }
         if (source != "none" && index(file, root) == 1) print source, file }' \
    "$scratch/sources" "$scratch/places" "$scratch/deps" | sort -u >"$scratch/includes"
  cut -d ' ' -f 2 "$scratch/includes" | sort -u | xargs -d '\n' -r sha256sum >"$scratch/sums"
  mkdir -p "$scratch/words"
  awk -v folder="$scratch/words/" -v settings="$settings" -v root="$PWD/" '
    FILENAME ~ /flags$/ { source_flags[$1] = $0; sub(/^[^ ]* /, "", source_flags[$1]); next }
    FILENAME ~ /sums$/ { sum[$2] = $1; next }
    $1 != source { if (source != "") close(out); source = $1; out = folder (++n); print settings, substr(source, length(root) + 1), source_flags[source] >out
                   print n, source >(folder "names") }
    { print sum[$2], substr($2, length(root) + 1) >out }' "$scratch/flags" "$scratch/sums" "$scratch/includes"
  [[ ! -e $scratch/words/names ]] || while read -r number source; do
    printf '%s %s\n' "$(sha256sum <"$scratch/words/$number" | cut -d ' ' -f 1)" "$source"
  done <"$scratch/words/names"
}

tidy() {  # BUILD_FOLDER FOLDER...
  local build=$1 cache=${CARDIOWARP_TIDY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cardiowarp/tidy} scratch failed=0
  scratch=$(mktemp -d)
  mkdir -p "$cache"
  find "$cache" -type f -mtime +90 -delete
  shift
  # Headers that GCC has precompiled are nothing that clang reads.
  sed 's/ -Winvalid-pch -include [^ ]*cmake_pch\.hxx//' "$build/compile_commands.json" >"$scratch/compile_commands.json"
  marks_of_sources "$build" "$scratch" "$@" >"$scratch/marks"
  while read -r source; do
    mark=$(awk -v source="$source" '$2 == source { print $1 }' "$scratch/marks")
    [[ -n $mark && -e $cache/$mark ]] || printf '%s\0%s\0' "$source" "${mark:+$cache/$mark}"
  done <"$scratch/sources" >"$scratch/to_do"
  echo "clang-tidy: $(($(tr -dc '\0' <"$scratch/to_do" | wc -c) / 2)) of $(wc -l <"$scratch/sources") sources are new or changed"
  xargs -0 -r -n 2 -P "$(nproc)" sh -c 'clang-tidy-14 -quiet -p "$0" "$1" 2>/dev/null && { [ -z "$2" ] || : >"$2"; }' "$scratch" \
    <"$scratch/to_do" || failed=1
  rm -r "$scratch"
  return $failed
}

case "${1-}" in
  format) require clang-format-14 clang-format-14 && clang-format-14 -i "${sources[@]}" ;;
  format-check) require clang-format-14 clang-format-14 && clang-format-14 --dry-run -Werror "${sources[@]}" ;;
  tidy)
    require clang-tidy-14 clang-tidy-14
    build=$2
    shift 2
    (($#)) || set -- kernels fem cellml assembly solver meshes app tests
    tidy "$build" "$@"
    ;;
  *) sed -n '2s/^# //p' "$0" >&2; exit 2 ;;
esac
