#!/bin/bash
# usage: debian_package_test.sh BUILD_FOLDER SCRATCH_FOLDER
# Makes the Debian package and looks into it: it has the files of an installation, depends on the packages of what the
# program is linked with and of Gmsh, which it loads, and brings no libraries. Exits 77 (skipped) without dpkg.
set -euo pipefail
build=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
source "$(dirname "${BASH_SOURCE[0]}")/../support/installed_tree.sh"
for tool in dpkg-deb dpkg-query dpkg-shlibdeps file readelf; do
  command -v $tool >/dev/null || { echo "skipped: no $tool (packages dpkg-dev, file, binutils)"; exit 77; }
done
empty_scratch "$scratch"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/package" >"$scratch/cpack.log" 2>&1 ||
  { cat "$scratch/cpack.log"; exit 1; }
package=$(echo "$scratch"/package/cardiowarp_*.deb)
dpkg-deb -x "$package" "$scratch/root"
complete_installation "$scratch/root/usr"
bad=0
if [[ -n $(find "$scratch/root" -mindepth 1 -maxdepth 1 ! -name usr) ]]; then
  echo "the package has files outside of /usr:" && ls "$scratch/root" && bad=1
fi

depends=$(dpkg-deb -f "$package" Depends)
echo "Depends: $depends"
# The packages that may stand for one: itself, and what it provides.
names_of() { dpkg-query -W -f '${Package}, ${Provides}' "$1" | sed 's/([^)]*)//g; s/,/ /g'; }
# The package that each library of the program comes from, and that of Gmsh by the name it is loaded by.
program=$scratch/root/usr/bin/cardiowarp
gmsh=$(grep -ao 'libgmsh\.so\.[0-9.]*' "$program" | sort -u)
for library in $(readelf -d "$program" "$program"-bench | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' | sort -u) $gmsh; do
  case $library in ld-linux* | libm.so.* | libmvec.so.*) continue ;; esac  # parts of libc6
  file=$(ldconfig -p | awk -v library="$library" '$1 == library && !found++ { print $NF }')
  file=$(realpath "$file")
  owner=$(dpkg-query --search "*${file#/usr}" | sed 's/[:,].*//' | sort -u)  # it may be known without /usr
  found=no
  for name in $(names_of $owner); do
    [[ ", $depends," != *", $name"[,\ ]* ]] || found=yes
  done
  [[ $found == yes ]] || { echo "$library is of the package $owner, on which the package does not depend"; bad=1; }
done
for program in "$scratch"/root/usr/bin/*; do
  [[ -z $(readelf -d "$program" | grep -E 'RPATH|RUNPATH') ]] ||
    { echo "${program##*/} looks for libraries elsewhere than the system:" && readelf -d "$program" | grep PATH; bad=1; }
done
exit $bad
