#!/bin/bash
# usage: bundle_test.sh BUILD_FOLDER SCRATCH_FOLDER
# Packs the program, unpacks it at another place and runs an example there with an empty environment. Fails when the
# program needs a shared library that neither the bundle nor glibc has, loaded at its start or later, and when the bundle
# has measurements in it.
set -euo pipefail
build=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/small_run.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/search_path.sh"

source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$scratch"
mkdir -p "$scratch/elsewhere"
cpack --config "$build/CPackConfig.cmake" -B "$scratch/package" >"$scratch/cpack.log" ||
  { cat "$scratch/cpack.log"; exit 1; }
tar -C "$scratch/elsewhere" -xzf "$scratch"/package/cardiowarp-*.tar.gz --strip-components=1
rm -r "$scratch/package"

for file in README.md LICENSE configs/heart.yaml docs/configuration.md docs/heart.png meshes/README.md lib python/cardiowarp/__init__.py; do
  [[ -e $scratch/elsewhere/$file ]] || { echo "the bundle has no $file"; exit 1; }
done
[[ -x $scratch/elsewhere/docs/benchmarks/measure.sh ]] || { echo "the bundle cannot measure"; exit 1; }
measured=$(cd "$scratch/elsewhere" && find . -name '*.csv' -o -path './docs/benchmarks/*' -type d)
[[ -z $measured ]] || { echo "the bundle has measurements:" $measured; exit 1; }
asked=$("$scratch/elsewhere/bin/cardiowarp" bench spmv 2>&1) && { echo "bench spmv of the bundle measured nothing: $asked"; exit 1; }
[[ $asked == *'expected a MESH'* ]] || { echo "the bundle cannot bench: $asked"; exit 1; }
if command -v readelf >/dev/null; then
  safe_search_path "$scratch"/elsewhere/bin/* "$scratch"/elsewhere/lib/*
  takes_no_library_from_here "$scratch/elsewhere/bin/cardiowarp" "$scratch/here"
else
  echo "no readelf: where the bundle's files look for libraries is not tested"
fi

CDPATH= cd -- "$scratch"
# The loader reports every object it initialises, also those that a library opens while running.
small_run env -i LD_DEBUG=files LD_DEBUG_OUTPUT="$scratch/loader" elsewhere/bin/cardiowarp run_folder
[[ -s run_folder/result/potential.pvd && -s run_folder/result/maps.vtu ]] || { echo "the run left no results"; exit 1; }

sed -n 's/.*calling init: //p' loader.* | xargs realpath -s | sort -u >loaded
grep -q "^$scratch/elsewhere/lib/libgmsh" loaded || { echo "libgmsh did not come from the bundle:"; cat loaded; exit 1; }
glibc='/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl|mvec))\.so\.[0-9]+$'
if grep -Ev "^$scratch/elsewhere/|$glibc" loaded; then
  echo "these libraries come from outside the bundle"
  exit 1
fi
