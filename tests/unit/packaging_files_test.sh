#!/bin/bash
# usage: packaging_files_test.sh SOURCE_FOLDER
# The citation and the module of Python name this version, and the citation has what its format (Citation File Format 1.2.0) asks for; the images of Docker and
# Apptainer are made of all sources that a build reads, in the same way and on the same systems.
set -euo pipefail
CDPATH= cd -- "$1"
bad=0
complain() { echo "$*"; bad=1; }

version=$(sed -En 's/^project\(cardiowarp VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[[ $(sed -n 's/^version: //p' CITATION.cff) == "$version" ]] || complain "CITATION.cff does not cite version $version"
[[ $(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml) == "$version" ]] || complain "pyproject.toml is not of version $version"
keys=$(sed -En 's/^([a-z-]+):.*/\1/p' CITATION.cff)
for key in cff-version message title authors; do
  [[ $'\n'$keys$'\n' == *$'\n'$key$'\n'* ]] || complain "CITATION.cff has no $key"
done
known=" abstract authors cff-version commit contact date-released doi identifiers keywords license license-url message
  preferred-citation references repository repository-artifact repository-code title type url version "
for key in $keys; do
  [[ $known == *[[:space:]]$key[[:space:]]* ]] || complain "CITATION.cff has the key $key, which its format does not know"
done
[[ -z $(sort <<<"$keys" | uniq -d) ]] || complain "CITATION.cff has a key twice"
[[ $(sed -n 's/^license: //p' CITATION.cff) == BSD-3-Clause && $(head -n 1 LICENSE) == "BSD 3-Clause License" ]] ||
  complain "CITATION.cff does not name the license of LICENSE"

# What CMake reads: the folders that it adds, its own, and what it installs.
sources=$(sed -En 's/^ *add_subdirectory\(([a-z_]+)\)$/\1/p' CMakeLists.txt | grep -vx tests)
sources+=" CMakeLists.txt CMakePresets.json setup.sh cmake packaging"
sources+=" $(sed -En 's/^ *install\((FILES|DIRECTORY) +([A-Za-z][^$]*) DESTINATION.*/\2/p' cmake/install.cmake)"
copied=$(sed -En 's|^ +([^ ]+) /src/$|\1|p' packaging/cardiowarp.def)
[[ $(wc -w <<<"$sources") -gt 12 ]] || complain "the sources were not found: $sources"
for file in $sources; do
  file=${file%%/*}
  [[ -e $file ]] || complain "there is no $file"
  [[ $'\n'$copied$'\n' == *$'\n'$file$'\n'* ]] || complain "packaging/cardiowarp.def does not copy $file"
  ! grep -qxF -e "$file" -e "$file/" -e "/$file" .dockerignore || complain ".dockerignore leaves out $file"
done
for file in $copied; do [[ -e $file ]] || complain "packaging/cardiowarp.def copies $file, which is not there"; done
for argument in BUILD_ON RUN_ON; do
  docker=$(sed -n "s/^ARG $argument=//p" Dockerfile) apptainer=$(sed -n "s/^ *$argument=//p" packaging/cardiowarp.def)
  [[ -n $docker && $docker == "$apptainer" ]] || complain "$argument is '$docker' for Docker and '$apptainer' for Apptainer"
done
for file in Dockerfile packaging/cardiowarp.def; do
  grep -q '/src/packaging/make_package.sh /package$' $file || complain "$file does not build with packaging/make_package.sh"
done
exit $bad
