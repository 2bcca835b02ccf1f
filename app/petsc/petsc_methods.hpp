#pragma once

namespace cardiowarp {

// The choices of a user of cardiowarp_petsc beside the configuration: the preconditioner, how values get into PETSc's
// matrix, and how the nodes are numbered. Each of them is an option of its command line, with the defaults that stand
// here. Every process has the same ones.

enum class PetscPreconditioner {
  jacobi,
  block_jacobi,  ///< ILU(0) of each process' own rows and columns
};

/// How element values get into matrix and vector.
enum class PetscInsertion {
  set_values,  ///< MatSetValues with one element matrix at a time (paper 000 sec. 8)
  coo,         ///< MatSetValuesCOO with all of them at once: faster, for 160 bytes an element and PETSc's own maps
};

/// How the nodes are numbered before they are divided among the processes.
enum class PetscNumbering {
  locality,     ///< along a Hilbert curve
  row_lengths,  ///< as in the CPU reference: along that curve and, inside windows, by the length of their row
};

struct PetscMethods {
  PetscPreconditioner preconditioner = PetscPreconditioner::jacobi;
  PetscInsertion insertion = PetscInsertion::set_values;
  PetscNumbering numbering = PetscNumbering::locality;
};

}  // namespace cardiowarp
