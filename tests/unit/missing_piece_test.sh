#!/bin/sh
# usage: missing_piece_test.sh COMPILER ROOT SCRATCH_FOLDER
# What lacks a piece does not compile, and the compiler says which: a format of the list, a rival of the bench, and a
# simulation or product on a backend with kernels of its own whose headers are not included.
compiler=$1 root=$2
. "$(dirname "$0")/../support/scratch.sh"
empty_scratch "$3" && mkdir -p "$3/kernels/sparse" "$3/assembly" && cd "$3" || exit 2

failures=0
fail() { echo "$1"; sed 's/^/  /' messages | head -n 20; failures=1; }
compiles() { "$compiler" -std=c++20 -fsyntax-only -I . -I "$root" "$1" >messages 2>&1; }
expect() { compiles "$1" || fail "$1 does not compile"; }
expect_refused() {  # FILE WORDS...
  file=$1
  if compiles "$file"; then fail "$file compiles"; return; fi
  shift
  for words in "$@"; do grep -qF "$words" messages || fail "$file: no message has '$words'"; done
}

# Formats. `backwards` of tests/unit/new_format is added to copies of the two headers, as its CMakeLists.txt does.
sed 's/^  end_of_list/  backwards,\n  end_of_list/' "$root/kernels/sparse/matrix_format.hpp" >list.hpp
sed 's|^#include "kernels/sparse/csr_format.hpp"|&\n#include "backwards_format.hpp"|' "$root/assembly/formats.hpp" >pieces.hpp
cmp -s list.hpp "$root/kernels/sparse/matrix_format.hpp" && fail "the list has no line for its end"
cmp -s pieces.hpp "$root/assembly/formats.hpp" && fail "assembly/formats.hpp does not include the example"
complete=$root/tests/unit/new_format/backwards_format.hpp
echo '#include "assembly/formats.hpp"' >formats.cpp

cp list.hpp kernels/sparse/matrix_format.hpp
cp pieces.hpp assembly/formats.hpp
cp "$complete" .
expect formats.cpp
rm assembly/formats.hpp
expect_refused formats.cpp 'backwards'  # listed, its header not included
cp pieces.hpp assembly/formats.hpp
for piece in name layout take_entries product_bytes value multiply multiply_dot absolute_row_sums; do
  sed "s/ $piece(/ other_$piece(/" "$complete" >backwards_format.hpp
  cmp -s backwards_format.hpp "$complete" && fail "the example has no $piece()"
  expect_refused formats.cpp 'a MatrixFormat lacks a piece of CompleteFormat (assembly/formats.hpp)'
done
cp "$complete" .
rm kernels/sparse/matrix_format.hpp
expect_refused formats.cpp 'backwards_format.hpp'  # not listed
rm assembly/formats.hpp backwards_format.hpp

# Rivals
rival() { printf '#include "app/bench/rivals.hpp"\nconstexpr auto place = cardiowarp::rival("%s");\n' "$1" >rival.cpp; }
rival coo
expect rival.cpp
rival coordinates
expect_refused rival.cpp 'coordinates'

# Kernels: every header that a general implementation asks for is asked for in a simulation or by a rival.
cat >simulation.cpp <<'CPP'
#include "app/simulation/backend_simulation.hpp"
#include "app/simulation/make_assembly.hpp"
#include "assembly/papers/make_assembly.hpp"
#include "kernels/rivals/ehyb.hpp"
#include "solver/jacobi_solvers.hpp"
#include "solver/make_linear_solver.hpp"
#include "solver/preconditioned_solver.hpp"
namespace cardiowarp {
struct OtherMachine : CpuBackend {
  OWN_KERNELS
};
void simulate(const SimulationPlan& plan) { BackendSimulation<OtherMachine> simulation(plan); }
void multiply(OtherMachine& machine, const EhybView& A, const Real* x, Real* y) {
  ehyb_multiply(machine, SliceSchedule::dynamic, 0, A, x, y);
}
}  // namespace cardiowarp
CPP
sed 's/OWN_KERNELS//' simulation.cpp >plain.cpp
expect plain.cpp
sed 's/OWN_KERNELS/struct OwnKernels;/' simulation.cpp >with_kernels.cpp
(cd "$root" && grep -rhoE --include='*.hpp' 'RunsGeneralCode<B>, "include [^"]*' kernels solver assembly app) |
  sed 's/.*"include //' | sort -u >headers
[ -s headers ] || fail "no general implementation asks for the header of a kernel"
expect_refused with_kernels.cpp
while read -r header; do
  [ -f "$root/$header" ] || fail "there is no $header"
  grep -qF "include $header" messages || fail "with_kernels.cpp: no message asks for $header"
done <headers
# Where a kernel overloads a general implementation in the same folder, that one has to ask for the kernel's header.
(
  cd "$root" || exit
  for header in $(grep -rlE --include='*.cuh' '\(CudaBackend&' kernels/sparse kernels/rivals assembly solver); do
    # A function by itself begins its line; a member overrides what a base class has.
    for function in $(grep -oE '^[^ ].*\(CudaBackend&' "$header" | grep -oE '[a-z_]+\(CudaBackend&$' | cut -d '(' -f 1 | sort -u); do
      grep -qE "\b$function\(B&" "$(dirname "$header")"/*.hpp || continue
      echo "$header"
    done
  done
) | sort -u | while read -r header; do
  grep -qxF "$header" headers || echo "no general implementation asks for $header, which has a kernel in its place"
done >overlooked
if [ -s overlooked ]; then cat overlooked; failures=1; fi

exit $failures
