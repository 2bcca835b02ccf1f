#!/bin/sh
# usage: include_direction_test.sh ROOT
# Checks every #include of our own headers against the arrows between the folders; prints file:line of each that points
# the wrong way and fails.
CDPATH= cd -- "$1" || exit 2
for folder in kernels fem assembly solver meshes app; do
  [ -d "$folder" ] || { echo "include_direction_test: no folder $folder in $1"; exit 2; }
done
find kernels fem assembly solver meshes app -type f \
  \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.h' \) -exec awk '
  BEGIN {
    allowed["kernels"] = "^kernels/"
    allowed["fem"] = "^(fem/|kernels/types\\.hpp$)"
    allowed["assembly"] = "^(assembly|fem|kernels)/"
    allowed["solver"] = "^(solver|kernels)/"
    allowed["meshes"] = "^(meshes|fem|kernels)/"
    allowed["app"] = "^(app|kernels|fem|assembly|solver|meshes)/"
  }
  # Quoted names are ours and carry their folder; a folder of ours in <> is held to the same arrows.
  /^[ \t]*#[ \t]*include[ \t]*("|<(kernels|fem|assembly|solver|meshes|app|tests)\/)/ {
    split(FILENAME, path, "/")
    split($0, part, /["<>]/)
    if (part[2] !~ allowed[path[1]]) {
      printf "%s:%d: %s/ may not include \"%s\" (allowed: %s)\n", FILENAME, FNR, path[1], part[2], allowed[path[1]]
      bad = 1
    }
  }
  END { exit bad }' {} +
