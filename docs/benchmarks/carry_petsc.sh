#!/bin/bash
# Makes a folder with which cardiowarp_petsc runs on a machine that has MPI but no PETSc, such as the host of a GPU.
#   docs/benchmarks/carry_petsc.sh CARDIOWARP_PETSC CARDIOWARP FOLDER
# copies the program into FOLDER/petsc, and into FOLDER/petsc/lib the libraries that it needs beyond those of CARDIOWARP,
# whose own bundle has them. The C library, the compiler's and those of Open MPI (libmpi, libopen-rte, libhwloc,
# libevent, ..) are the machine's, whose mpiexec is of the same MPI. FOLDER/cardiowarp_petsc starts the program with these
# libraries; with FOLDER/petsc it goes beside `cardiowarp`, where `compare --petsc` and petsc.py look for it:
#   cp -r FOLDER/. "$(dirname "$(command -v cardiowarp)")"
# mpiexec refuses to run as root unless OMPI_ALLOW_RUN_AS_ROOT and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM are 1.
set -euo pipefail
(($# == 3)) && [[ -x $1 && -x $2 ]] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
program=$(realpath "$1") beside=$(realpath "$2")
mkdir -p "$3/petsc/lib"
cd "$3"

# What else PETSc can solve with is replaced by empty libraries of the same names, of which the first has a place for
# every name that is looked for: nothing here calls them. The loader warns that they have no versions.
petsc=$(ldd "$program" | awk '$1 ~ /^libpetsc/ { print $3 }')
[[ -n $petsc ]] || { echo "carry_petsc.sh: $program is linked with no library of PETSc" >&2; exit 1; }
needed='^lib(c|m|stdc\+\+|gcc_s|mpi|mpi_mpifh|gfortran|lapack|blas|yaml-0|X11)\.so'
cp -L "$petsc" "petsc/lib/$(basename "$petsc")"
mapfile -t others < <(readelf -d "$petsc" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE "$needed")
empty() { cc -shared -x assembler - -o "petsc/lib/$1" -Wl,-soname,"$1" -Wl,-z,noexecstack; }  # the assembler on input
for library in "${others[@]}"; do empty "$library" </dev/null; done
LD_LIBRARY_PATH=$PWD/petsc/lib ldd -r "petsc/lib/$(basename "$petsc")" 2>&1 |
  sed -n 's/^undefined symbol: \([^, \t]*\).*/\1/p' | sort -u |
  awk 'BEGIN { print ".data" } { print ".globl " $1 "\n" $1 ": .quad 0" }' | empty "${others[0]}"

libraries_of() { LD_LIBRARY_PATH=$PWD/petsc/lib ldd "$1" | awk '$3 ~ /^\// { print $3 }' | sort -u; }
missing=$(ldd "$program" | grep 'not found' || true)
[[ -z $missing ]] || { echo "carry_petsc.sh: $missing" >&2; exit 1; }
machines='/(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s|mpi|mpi_mpifh|open-rte|open-pal|hwloc|pmix|event_core-2.1|event_pthreads-2.1))\.so'
comm -23 <(libraries_of "$program") <(libraries_of "$beside") | grep -vE "$machines" | grep -v "^$PWD/" |
  while read -r library; do cp -L "$library" petsc/lib/; done
cp "$program" petsc/
strip petsc/cardiowarp_petsc
cat >cardiowarp_petsc <<'START'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH="$here/petsc/lib:$here/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/petsc/cardiowarp_petsc" "$@"
START
chmod +x cardiowarp_petsc
du -sh .
