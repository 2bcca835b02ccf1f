#!/bin/bash
# usage: packages_test.sh SOURCE_FOLDER BUILD_FOLDER SCRATCH_FOLDER
# Each header that the build read and each library that it linked is of a package that setup.sh installs, or of one that
# such a package depends on, so that a build on a new machine finds them. Left out is what is no package's, such as a CUDA
# toolkit of NVIDIA's, and the program on PETSc, which is made only where PETSc is. Exits 77 (skipped) without dpkg or ninja.
set -euo pipefail
source=$1 build=$2 scratch=$3
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
for tool in dpkg-query ninja realpath; do
  command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
[[ -e $build/build.ninja ]] || { echo "skipped: not built by ninja"; exit 77; }
empty_scratch "$scratch"

# What setup.sh asks apt for on a machine that has none of it.
mkdir -p "$scratch/tools" "$scratch/project"
cp "$source/setup.sh" "$scratch/project"
for tool in cmake ctest apt-cache; do printf '#!/bin/sh\n' >"$scratch/tools/$tool"; done
printf '#!/bin/sh\necho "$*" | sed -n "s/.*--no-install-recommends//p" >>"%s"\n' "$scratch/asked" >"$scratch/tools/apt-get"
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$scratch/tools/sudo"
printf '#!/bin/sh\nexit 1\n' >"$scratch/tools/dpkg-query"
chmod +x "$scratch"/tools/*
PATH=$scratch/tools:$PATH "$scratch/project/setup.sh" test >"$scratch/setup.log" 2>&1 </dev/null || true
[[ $(wc -w <"$scratch/asked") -gt 5 ]] || { echo "setup.sh asked for no packages:"; cat "$scratch/setup.log"; exit 1; }
compiler=$(realpath "$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")")
{
  tr -s ' ' '\n' <"$scratch/asked" | sed '/^$/d'
  # A toolchain is what setup.sh looks for by the names of its programs.
  printf '%s\n' g++ libc6
  dpkg-query --search "$compiler" 2>/dev/null | sed 's/[:,].*//'
  [[ $compiler != *clang* ]] || dpkg-query -W -f '${Package}\n' 'libomp-*dev'
} | sort -u >"$scratch/wanted"

# These and all that they depend on.
dpkg-query -W -f '${Package}|${Provides}|${Pre-Depends}, ${Depends}\n' | sed 's/([^)]*)//g; s/:any//g; s/ //g' |
  awk -F '|' -v wanted="$scratch/wanted" '
    { needs = $3; for (i = 4; i <= NF; ++i) needs = needs "," $i  # alternatives count all
      depends[$1] = needs; names[$1] = names[$1] "," $1
      n = split($2, provided, ","); for (i = 1; i <= n; ++i) names[provided[i]] = names[provided[i]] "," $1 }
    function take(name,  list, count, i, more, many, j) {
      count = split(names[name], list, ",")
      for (i = 1; i <= count; ++i) if (list[i] != "" && !(list[i] in taken)) {
        taken[list[i]] = 1
        many = split(depends[list[i]], more, ",")
        for (j = 1; j <= many; ++j) take(more[j])
      }
    }
    END { while ((getline name <wanted) > 0) take(name); for (name in taken) print name }' | sort >"$scratch/allowed"

# Headers by the log of ninja, libraries by what it links; a line of the log that is not indented names the object.
{
  ninja -C "$build" -t deps | awk '/^[^ ]/ { own = /app\/petsc\// } /^ / && !own { print $1 }'
  awk '/^build / { own = /cardiowarp_petsc/ } /LINK_LIBRARIES =/ && !own' "$build/build.ninja" | tr ' ' '\n' | grep -E '^/.*\.(so|a)(\.[0-9.]+)?$' || true
} | sort -u | grep '^/' | grep -v -e "^$source/" -e "^$build/" >"$scratch/read" || true
[[ $(wc -l <"$scratch/read") -gt 100 ]] || { echo "the build has read next to nothing"; exit 1; }
# A file may be known to dpkg without the /usr before it.
xargs -d '\n' realpath -e <"$scratch/read" 2>/dev/null | sort -u | sed 's|^/usr/|/|' >"$scratch/files"
cat /var/lib/dpkg/info/*.list | sed 's|^/usr/|/|' | sort -u | comm -12 - "$scratch/files" >"$scratch/owned"

awk 'FNR == 1 { package = FILENAME; sub(/.*\//, "", package); sub(/(:[^:]*)?\.list$/, "", package) }
  { sub(/^\/usr\//, "/") } FILENAME ~ /owned$/ { owned[$0] = 1; next } $0 in owned { print package, $0 }' \
  "$scratch/owned" /var/lib/dpkg/info/*.list | sort -u >"$scratch/owners"
join -v 1 "$scratch/owners" "$scratch/allowed" >"$scratch/strangers"
echo "$(wc -l <"$scratch/owned") files of $(cut -d ' ' -f 1 "$scratch/owners" | sort -u | wc -l) packages"
[[ ! -s $scratch/strangers ]] || { echo "setup.sh does not install the packages of these files:"; head -n 40 "$scratch/strangers"; exit 1; }
