#!/bin/bash
# usage: stranger_test.sh BUILD_FOLDER SCRATCH_FOLDER
# A Debian system with nothing on it gets the Debian package and what it depends on, and nothing else; then meshes are made
# and a run is made in it. Exits 77 (skipped) where such a system cannot be made: without debootstrap, without root rights
# or without a mirror of Debian (DEBIAN_MIRROR names one).
set -euo pipefail
build=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/small_run.sh"
source /etc/os-release
skip() { echo "skipped: $*"; exit 77; }
for tool in debootstrap dpkg-shlibdeps file unshare; do command -v $tool >/dev/null || skip "no $tool"; done
((EUID == 0)) || skip "only root can change its root folder"
[[ $ID == debian ]] || skip "the package is made for $ID, the system would be Debian"
empty_scratch "$scratch"
root=$scratch/root
debootstrap --variant=minbase --include=ca-certificates "$VERSION_CODENAME" "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" \
  >"$scratch/debootstrap.log" 2>&1 || { tail -n 3 "$scratch/debootstrap.log"; skip "debootstrap made no system"; }

cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/package" >"$scratch/cpack.log" 2>&1 ||
  { cat "$scratch/cpack.log"; exit 1; }
cp "$scratch"/package/cardiowarp_*.deb "$root/tmp/cardiowarp.deb"
# /proc, which the program asks for the processors and memory that it may use, is there as long as a command runs.
inside() {
  unshare --mount --pid --fork --kill-child -- bash -c 'mount -t proc proc "$1/proc" && shift && exec "$@"' inside "$root" \
    chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}
inside apt-get install -y --no-install-recommends /tmp/cardiowarp.deb >"$scratch/apt.log" 2>&1 ||
  { tail -n 20 "$scratch/apt.log"; exit 1; }
grep 'newly installed' "$scratch/apt.log"

inside cardiowarp info
inside cardiowarp mesh slab --size 8,2,1 --edge 0.5mm --unstructured --output /tmp/unstructured.msh
inside bash -ec "$(declare -f small_run); small_run cardiowarp /tmp/run"
[[ -s $root/tmp/run/result/maps.vtu ]] || { echo "the run left no results"; exit 1; }
rm -rf "$root"  # a gigabyte
