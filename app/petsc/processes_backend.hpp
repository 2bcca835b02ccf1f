#pragma once
#include <petscsys.h>

#include <cmath>

#include "kernels/backend/cpu_backend.hpp"

namespace cardiowarp {

/// The backend of one of several MPI processes: the CPU's, but sums and maxima are those over the indices of all
/// processes, which all of them get. Then sum() and maximum() are collective, and so is an algorithm that calls them:
/// every process calls it. Loops and memory are the process' own.
class ProcessesBackend : public CpuBackend {
 public:
  /// An index that several processes have counts as often.
  template <int N, class Body, class Then = Nothing>
  void sum(Index n, Real* result, const Body& body, const Then& then = {}) {
    CpuBackend::sum<N>(n, result, body);
    MPI_Allreduce(MPI_IN_PLACE, result, N, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
    then();
  }

  template <class Body, class Then = Nothing>
  void maximum(Index n, Real* result, const Body& body, const Then& then = {}) {
    CpuBackend::maximum(n, result, body);
    const bool is_nan = std::isnan(*result);
    Real largest[2] = {is_nan ? 0 : *result, is_nan ? Real(1) : Real(0)};  // MPI_MAX does not know NaN
    MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    *result = largest[1] > 0 ? std::nan("") : largest[0];
    then();
  }
};

static_assert(Backend<ProcessesBackend>);

}  // namespace cardiowarp
