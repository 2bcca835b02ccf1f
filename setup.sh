#!/usr/bin/env bash
# From a fresh Debian 12 or Ubuntu 24.04 to a beating heart, or to a tested build.
case "$0" in
  *setup.sh) ;;
  *) echo "setup.sh: run it, ./setup.sh heart, instead of reading it into this shell" >&2; return 2 ;;
esac
# `sh setup.sh` is another shell, or bash without what this script needs: it is begun anew.
case ":${BASH_VERSION-}:${SHELLOPTS-}:" in
  *:posix:* | ::*) exec env -u POSIXLY_CORRECT -u SHELLOPTS bash "$0" "$@" ;;
esac
if [[ ${BASH_SOURCE[0]} != "$0" ]]; then
  echo "setup.sh: run it, ./setup.sh heart, instead of reading it into this shell" >&2
  return 2
fi
set -euo pipefail
CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
usage: ./setup.sh heart | test | build [--cuda | --no-cuda]
  heart   install what is missing, build, make the default heart mesh and run configs/heart.yaml
  test    install what is missing, build with the tests and run them all
  build   install what is missing and build build/release/app/cardiowarp and what "cardiowarp bench" starts
  --cuda, --no-cuda   build with CUDA or without it, whether or not an NVIDIA device is here
Without either, CUDA is built where an NVIDIA device is found. test and build also install METIS, for measurements, where
nobody has to be asked.
TEXT
}

step() { printf '\n==> %s\n' "$*"; }
fail() { printf 'setup.sh: %s\n' "$*" >&2; exit 1; }
refuse() { printf 'setup.sh: %s\n' "$*" >&2; usage >&2; exit 2; }

# Prints the Debian packages that are not there. A program counts as there wherever it comes from.
missing_packages() {
  local program package
  for program in g++:g++ cmake:cmake ninja:ninja-build; do
    command -v "${program%%:*}" >/dev/null || echo "${program##*:}"
  done
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

install_packages() {
  local as_root=() lists_are_fresh=no log=build/apt.log
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null || fail "these packages are missing and only root may install them; please run
  sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
    as_root=(sudo -n)
  fi
  apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1
  }
  update() { apt update && lists_are_fresh=yes; }
  install() { apt install --no-install-recommends "$@"; }

  step "installing $* (what apt says is in $log)"
  mkdir -p "$(dirname "$log")"
  apt-cache show "$@" >/dev/null 2>&1 || update
  # Package lists that have grown old name files that the mirror has replaced: renew them and try once more.
  install "$@" || { [[ $lists_are_fresh == no ]] && update && install "$@"; } || {
    tail -n 5 "$log" >&2
    fail "apt-get could not install: $*"
  }
}

require_packages() {
  command -v dpkg-query >/dev/null || fail "this script installs with apt (Debian 12, Ubuntu 24.04). Elsewhere install
  a C++20 compiler, CMake 3.25, Ninja and the development files of Gmsh, VTK 9, yaml-cpp, CLI11, spdlog, fmt,
  nlohmann-json, pugixml, zlib and libdeflate (GoogleTest for the tests; METIS for the format ehyb of bench spmv), then:
  cmake --preset release && cmake --build --preset release   (-DCARDIOWARP_CUDA=OFF leaves CUDA out)"
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
}

# Without these something is left out of the build, so they are installed only where nobody has to be asked.
add_optional_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) && return
  ((EUID == 0)) || sudo -n true 2>/dev/null || return 0
  (install_packages "${missing[@]}") || printf 'setup.sh: going on without %s\n' "${missing[*]}" >&2
}

# Prints the compute capability of each NVIDIA device, such as 9.0, a line each. Where there is no nvidia-smi to ask, a
# device is a file /dev/nvidia0 or the like, and its capability is printed as "unknown".
nvidia_devices() {
  if command -v nvidia-smi >/dev/null; then
    local answer
    answer=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>&1) ||
      printf 'setup.sh: nvidia-smi finds no device: %s\n' "$answer" >&2
    grep -xE '[0-9]+\.[0-9]+' <<<"$answer" || true
  elif compgen -G '/dev/nvidia[0-9]*' >/dev/null; then
    echo unknown
  fi
}

# Sets cuda_options, what CMake is told about CUDA, and says it in one line. All is told each time, so that a build folder
# that was configured otherwise is switched.
# `heart` and `test` run on this machine and are compiled for its device alone; what `build` makes may be carried to
# another. A device of a kind that nvcc 12.1 does not know takes what is compiled for the others.
choose_cuda() {  # WORD on|off|auto
  local word=$1 wish=$2 capabilities architectures=${CUDAARCHS-}
  capabilities=$(nvidia_devices | sort -u)
  if [[ $wish == off || ($wish == auto && -z $capabilities) ]]; then
    cuda_options=(-DCARDIOWARP_CUDA=OFF)
    [[ $wish == off ]] && step "CUDA: no, as asked by --no-cuda" ||
      step "CUDA: no, there is no NVIDIA device here; to build it nevertheless: ./setup.sh $word --cuda"
    return
  fi
  if [[ -z $architectures && $word != build ]] && ! grep -qvE '^8\.[0679]$|^9\.0$' <<<"$capabilities"; then
    architectures=$(tr -d . <<<"$capabilities" | paste -sd ';')
  fi
  cuda_options=(-DCARDIOWARP_CUDA="${wish^^}" -UCARDIOWARP_CUDA_ARCHITECTURES)
  [[ -z $architectures ]] || cuda_options[1]=-DCARDIOWARP_CUDA_ARCHITECTURES=$architectures
  [[ $wish == on ]] && step "CUDA: yes, as asked by --cuda" ||
    step "CUDA: yes where nvcc is found, as there is an NVIDIA device; to build without: ./setup.sh $word --no-cuda"
}

# A build folder that was configured at another place (a copied checkout) is configured afresh.
configure() {
  local fresh=--fresh
  grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" build/release/CMakeCache.txt && fresh=
  # A warning of a compiler newer than ours ends nobody's set-up.
  cmake --preset release --log-level=NOTICE $fresh -DCARDIOWARP_PRECOMPILE=ON -DCARDIOWARP_WARNINGS_AS_ERRORS=OFF \
    "${cuda_options[@]}" "$@"
}

libraries=(libgmsh-dev libvtk9-dev libyaml-cpp-dev libcli11-dev libspdlog-dev libfmt-dev nlohmann-json3-dev
  libpugixml-dev zlib1g-dev libdeflate-dev)
optional_libraries=(libmetis-dev)  # rival ehyb of "cardiowarp bench spmv"
program=build/release/app/cardiowarp
# A compiler may take 1.5 GiB: fewer at a time where memory is short, as on a machine that others use.
jobs=$(awk -v most="$(nproc)" '/^MemAvailable:/ { n = int($2 / 1572864) } END { print n < 1 ? 1 : n < most ? n : most }' /proc/meminfo)

# With the names of optional packages, the program that measures is built, too.
build_program() {
  local targets=(cardiowarp)
  require_packages "${libraries[@]}"
  (($# == 0)) || { add_optional_packages "$@" && targets+=(cardiowarp-bench); }
  step "building $program"
  # The tests stay as they were configured: switched off in a new build folder, untouched in a developer's.
  local tests=-DCARDIOWARP_BUILD_TESTS=OFF
  grep -qs CARDIOWARP_BUILD_TESTS:BOOL=ON build/release/CMakeCache.txt && tests=
  configure $tests
  cmake --build --preset release --target "${targets[@]}" -j "$jobs"
}

run_heart() {
  build_program
  if [[ ! -f out/heart.msh ]]; then
    step "making the heart mesh out/heart.msh"
    "$program" mesh biventricle --edge 3mm --output out/heart.msh
  fi
  step "running configs/heart.yaml"
  "$program" run configs/heart.yaml
}

run_tests() {
  require_packages "${libraries[@]}" libgtest-dev
  add_optional_packages "${optional_libraries[@]}" python3-numpy
  step "building the program and its tests"
  configure -DCARDIOWARP_BUILD_TESTS=ON
  cmake --build --preset release -j "$jobs"
  step "running the tests"
  ctest --preset release -j "$jobs" --label-exclude long --no-tests=error \
    --output-junit junit.xml
}

for word in "$@"; do
  case $word in -h | --help | help) usage; exit 0 ;; esac
done
words=() cuda=auto
for word in "$@"; do
  case $word in
    --cuda) [[ $cuda != off ]] || refuse "--cuda and --no-cuda exclude each other"; cuda=on ;;
    --no-cuda) [[ $cuda != on ]] || refuse "--cuda and --no-cuda exclude each other"; cuda=off ;;
    -*) refuse "unknown option '$word'" ;;
    *) words+=("$word") ;;
  esac
done
((${#words[@]} > 0)) || refuse "expected one of the words below"
((${#words[@]} == 1)) || refuse "expected one word, got: ${words[*]}"
word=${words[0]}
case $word in
  heart | test | build) ;;
  *) refuse "unknown word '$word'" ;;
esac
[[ -w . ]] || fail "cannot write into '$PWD', where the program is built: use a copy of your own"
choose_cuda "$word" "$cuda"
case $word in
  heart) run_heart ;;
  test) run_tests ;;
  build) build_program "${optional_libraries[@]}" ;;
esac
