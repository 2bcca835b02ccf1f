#!/bin/bash
# usage: install_test.sh BUILD_FOLDER SCRATCH_FOLDER
# Installs into a folder, looks whether all is there and runs an example from it, which lies where nobody may write.
set -euo pipefail
build=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/installed_tree.sh"
empty_scratch "$scratch"
prefix=$scratch/a\ prefix
cmake --install "$build" --prefix "$prefix" >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
complete_installation "$prefix"

# As README says: copy an example, make its mesh, run it. A coarse mesh and few steps will do here.
CDPATH= cd -- "$scratch"
mkdir -p my/configs
cp "$prefix"/share/cardiowarp/examples/slab.yaml my/configs
"$prefix/bin/cardiowarp" mesh slab --size 20,7,3 --edge 1mm --output my/out/slab.msh
"$prefix/bin/cardiowarp" run my/configs/slab.yaml --set time.end='1 ms' --output my/result
[[ -s my/result/potential.pvd ]] || { echo "the run left no results"; exit 1; }
