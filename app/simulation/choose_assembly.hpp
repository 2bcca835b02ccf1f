#pragma once
#include "assembly/global_matrix.hpp"
#include "assembly/options.hpp"
#include "assembly/sparsity.hpp"
#include "fem/quadrature.hpp"
#include "kernels/backend/device.hpp"

namespace cardiowarp {

/// Decides how K is assembled on a machine, for the quadrature, its layout and its entries. Without centroids only the
/// diagonal has to be assembled; with them the choice is that for the centroids: `wish` with a strategy that is neither
/// `automatic` nor `scalar_gather`, in whose place stands the fastest gather that suits. A strategy that was asked for
/// is taken or refused. What it does not use of the wish is left out: only `spmv` can go through CSR. Throws InputError
/// `assembly.strategy: ...` that says what the wish needs.
AssemblyOptions choose_assembly(const AssemblyOptions& wish, Quadrature quadrature, const Device& device,
                                const MatrixLayout& layout, const Sparsity& sparsity);

/// Whether a strategy assembles K of a quadratic mesh; `automatic` and `scalar_gather` stand for one that does.
bool suits_quadratic_elements(AssemblyStrategy strategy);

/// Decides how K of a quadratic mesh is assembled: by `entry_gather`, or as the wish says. Throws InputError
/// `assembly.strategy: ...` for a strategy that is for linear tetrahedra alone.
AssemblyOptions choose_quadratic_assembly(const AssemblyOptions& wish);

}  // namespace cardiowarp
