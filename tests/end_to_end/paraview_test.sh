#!/bin/bash
# usage: paraview_test.sh PROGRAM SCRATCH_FOLDER PVBATCH
# ParaView opens what a run has written. Exits 77 (skipped) where there is no pvbatch.
set -euo pipefail
program=$1 scratch=$2 pvbatch=$3
support=$(CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")/../support" && pwd)
source "$support/small_run.sh"

command -v "$pvbatch" >/dev/null || {
  echo "skipped: no pvbatch; tests/support/paraview/install_paraview.sh build/paraview fetches one"
  exit 77
}
# opens OPTION.. CELL_TYPE: the results of a small run on a mesh that is made with these options, by VTK's type of cells.
opens() {
  local type=${*: -1}
  MESH_OPTIONS=("${@:1:$#-1}")
  rm -rf "$scratch"
  small_run "$program" "$scratch"
  "$pvbatch" "$support/paraview/check_and_render.py" "$scratch/result" "$scratch/picture.png" | tee "$scratch/said.txt"
  grep -q " cells of type $type\$" "$scratch/said.txt" || { echo "expected cells of type $type" >&2; exit 1; }
}
opens --order 1 10
opens --order 2 24
