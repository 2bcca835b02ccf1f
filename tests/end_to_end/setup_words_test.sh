#!/bin/bash
# usage: setup_words_test.sh SOURCE_FOLDER SCRATCH_FOLDER
# setup.sh answers words that it does not know, works in any shell and from any folder, and asks for METIS only where
# it is measured with: not before the first picture. What only measures is not built before it either. CUDA is built where an NVIDIA device is found or it is asked for.
# The tools that it calls only say that they were called.
set -euo pipefail
source=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$scratch"
mkdir -p "$scratch/tools" "$scratch/project" "$scratch/elsewhere"
cp "$source/setup.sh" "$scratch/project"
for tool in cmake ctest apt-get apt-cache; do
  printf '#!/bin/sh\necho "%s $*" >>"%s"\n' "$tool" "$scratch/called" >"$scratch/tools/$tool"
done
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$scratch/tools/sudo"
# All packages are there but one.
printf '#!/bin/sh\ncase "$*" in *libmetis*) exit 1 ;; *) echo installed ;; esac\n' >"$scratch/tools/dpkg-query"
# The devices of this machine, as their compute capabilities.
cat >"$scratch/tools/nvidia-smi" <<TEXT
#!/bin/sh
cat "$scratch/devices" 2>/dev/null || { echo 'NVIDIA-SMI has failed because it could not communicate with the driver.'; exit 9; }
TEXT
chmod +x "$scratch"/tools/*
unset CUDAARCHS
export PATH=$scratch/tools:$PATH
cd "$scratch/elsewhere"

failed=0
# CODE SHELL WORDS.. : the script ends with this code, has called nothing, and says its usage.
expect() {
  local code=$1 got=0
  shift
  rm -f "$scratch/called"
  timeout 60 "$@" >"$scratch/log" 2>&1 </dev/null || got=$?
  [[ $got == "$code" && ! -e $scratch/called ]] && grep -q '^usage: ./setup.sh heart' "$scratch/log" && return
  echo "'$*' ended with $got instead of $code, or called a tool, or said no usage:"
  cat "$scratch/log"
  failed=1
}
script=$scratch/project/setup.sh
for shell in bash sh "bash --posix" "env POSIXLY_CORRECT=1 bash"; do
  expect 0 $shell "$script" -h
  expect 0 $shell "$script" -h heart
  expect 0 $shell "$script" build --help
  expect 2 $shell "$script"
  expect 2 $shell "$script" haert
  expect 2 $shell "$script" heart test
  expect 2 $shell "$script" heart --cude
done
expect 2 "$script" --cuda
expect 2 "$script" test --cuda --no-cuda
expect 0 "$script" help
expect 2 "$script" ''
{ "$script" haert 2>&1 || true; } | grep -q "^setup.sh: unknown word 'haert'$" || { echo "an unknown word is not named"; failed=1; }
bash -c '. "$1" heart; echo goes on' shell "$script" 2>&1 | grep -q '^goes on$' ||
  { echo "reading the script into a shell ends the shell"; failed=1; }

# WORD yes|no TARGETS: whether METIS is asked for on the way to the build, and what is built. No tool makes anything, so
# that the script then fails.
expect_metis() {
  local asked=no built
  rm -f "$scratch/called"
  "$script" "$1" >"$scratch/log" 2>&1 </dev/null || true
  grep -q '^cmake --build' "$scratch/called" || { echo "$1 built nothing:"; cat "$scratch/log"; failed=1; }
  grep -q 'apt-get .*libmetis' "$scratch/called" && asked=yes
  [[ $asked == "$2" ]] || { echo "$1: is METIS asked for? expected $2, got $asked"; failed=1; }
  built=$(sed -nE 's/^cmake --build.* --target (.*) -j.*/\1/p' "$scratch/called")
  [[ $built == "$3" ]] || { echo "$1: expected the targets '$3' to be built, got '$built'"; failed=1; }
}
expect_metis heart no cardiowarp
expect_metis build yes "cardiowarp cardiowarp-bench"
expect_metis test yes ""  # all

# DEVICES WORDS EXPECTED SAID: with these devices, separated by commas, what CMake is told about CUDA, and what the user.
expect_cuda() {
  local devices=$1 words=$2 expected=$3 said=$4 told
  rm -f "$scratch/called" "$scratch/devices"
  [[ -z $devices ]] || tr , '\n' <<<"$devices" >"$scratch/devices"
  "$script" $words >"$scratch/log" 2>&1 </dev/null || true
  told=$(grep -oE -- '-[DU]CARDIOWARP_CUDA[^ ]*' "$scratch/called" | paste -sd ' ') || true
  [[ $told == "$expected" ]] || { echo "$words with devices '$devices': CMake is told '$told', expected '$expected'"; failed=1; }
  grep -q "CUDA: $said" "$scratch/log" || { echo "$words with devices '$devices' does not say '$said':"; cat "$scratch/log"; failed=1; }
}
default_kinds=-UCARDIOWARP_CUDA_ARCHITECTURES kinds=-DCARDIOWARP_CUDA_ARCHITECTURES
for word in heart test build; do
  expect_cuda '' "$word" -DCARDIOWARP_CUDA=OFF "no, there is no NVIDIA device here; .*: ./setup.sh $word --cuda$"
  expect_cuda '' "$word --cuda" "-DCARDIOWARP_CUDA=ON $default_kinds" 'yes, as asked by --cuda$'
  expect_cuda 9.0 "--no-cuda $word" -DCARDIOWARP_CUDA=OFF 'no, as asked by --no-cuda$'
done
with_device='yes where nvcc is found, as there is an NVIDIA device; to build without'
expect_cuda 9.0 heart "-DCARDIOWARP_CUDA=AUTO $kinds=90" "$with_device: ./setup.sh heart --no-cuda$"
expect_cuda 8.6,9.0,8.6 test "-DCARDIOWARP_CUDA=AUTO $kinds=86;90" "$with_device: ./setup.sh test --no-cuda$"
expect_cuda 9.0 'heart --cuda' "-DCARDIOWARP_CUDA=ON $kinds=90" 'yes, as asked by --cuda$'
expect_cuda 9.0 build "-DCARDIOWARP_CUDA=AUTO $default_kinds" "$with_device"  # it may be carried to another machine
expect_cuda 12.0 heart "-DCARDIOWARP_CUDA=AUTO $default_kinds" "$with_device"  # not known to each nvcc
expect_cuda 7.5,9.0 heart "-DCARDIOWARP_CUDA=AUTO $default_kinds" "$with_device"
CUDAARCHS='80;90' expect_cuda 9.0 heart "-DCARDIOWARP_CUDA=AUTO $kinds=80;90" "$with_device"
exit $failed
