#!/bin/sh
# usage: make_package.sh FOLDER
# Builds cardiowarp on a new Debian 12 or Ubuntu 24.04, with CUDA where a toolkit is, and leaves its Debian package in
# FOLDER. The images are made with it (Dockerfile, packaging/cardiowarp.def); it installs packages and needs root rights.
set -eu
[ $# = 1 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
folder=$1
CDPATH= cd -- "$(dirname "$0")/.."
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
# cpack finds what the package depends on with the first two; git tells the commit.
apt-get -q -y install --no-install-recommends dpkg-dev file git
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then cuda=--cuda; else cuda=--no-cuda; fi
./setup.sh build $cuda
cpack -G DEB --config build/release/CPackConfig.cmake -B "$folder"
rm -r "$folder/_CPack_Packages"
