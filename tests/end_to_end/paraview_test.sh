#!/bin/bash
# usage: paraview_test.sh PROGRAM SCRATCH_FOLDER PVBATCH
# ParaView opens what a run has written. Exits 77 (skipped) where there is no pvbatch.
set -euo pipefail
program=$1 scratch=$2 pvbatch=$3
support=$(CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")/../support" && pwd)
source "$support/small_run.sh"
source "$support/scratch.sh"

command -v "$pvbatch" >/dev/null || {
  echo "skipped: no pvbatch; tests/support/paraview/install_paraview.sh build/paraview fetches one"
  exit 77
}
# opens FORMAT ORDER CELL_TYPE: the results of a small run, with frames of a format, on a mesh of tetrahedra of an order, by
# VTK's type of their cells.
opens() {
  FRAME_FORMAT=$1 MESH_OPTIONS=(--order "$2")
  empty_scratch "$scratch"
  small_run "$program" "$scratch"
  "$pvbatch" "$support/paraview/check_and_render.py" "$scratch/result" "$scratch/picture.png" | tee "$scratch/said.txt"
  grep -q " cells of type $3\$" "$scratch/said.txt" || { echo "expected cells of type $3" >&2; exit 1; }
}
opens vtu 1 10
opens vtu 2 24
opens ensight 1 10
opens ensight 2 24
