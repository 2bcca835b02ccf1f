#pragma once
#include <fmt/format.h>
#include <petscksp.h>

#include "app/process/standard_streams.hpp"

namespace cardiowarp {

// How the program calls PETSc: petsc() stands around each call, and a PetscHandle owns a matrix, a vector or a solver
// and destroys it at the end of its life. Errors are not thrown, since an exception on one process would leave the
// others waiting for it.

/// A PETSc call that failed ends all processes: what one of them cannot do, the others would wait for. PETSc's own
/// handler has said where and why.
inline void petsc(PetscErrorCode code) {
  if (static_cast<int>(code) == 0) return;
  print_error(fmt::format("PETSc failed with code {}", static_cast<int>(code)));
  MPI_Abort(PETSC_COMM_WORLD, 4);
}

/// Number of this process, from 0.
inline int process() {
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

/// Owns a PETSc object. PETSc fills it in through `out()`.
template <class Object, PetscErrorCode (*Destroy)(Object*)>
class PetscHandle {
 public:
  PetscHandle() = default;
  PetscHandle(const PetscHandle&) = delete;
  PetscHandle& operator=(const PetscHandle&) = delete;
  ~PetscHandle() { Destroy(&object_); }

  operator Object() const { return object_; }
  Object* out() { return &object_; }

 private:
  Object object_ = nullptr;
};

using PetscMatrix = PetscHandle<Mat, MatDestroy>;
using PetscVector = PetscHandle<Vec, VecDestroy>;
using PetscSolver = PetscHandle<KSP, KSPDestroy>;

}  // namespace cardiowarp
