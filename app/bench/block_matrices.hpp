#pragma once
#include <string>

#include "app/bench/matrix.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// Matrices of a mesh with several unknowns a node, for `bench spmv --unknowns`: finite elements on linear tetrahedra,
// the unknowns numbered node by node and the nodes by locality. An entry of the matrix with one unknown becomes a dense
// block, whose entries are all stored, zeros among them. A run of the program has one unknown a node; these
// matrices stand for those of mechanics and of the bidomain model of the same heart. Host memory, 12 bytes an entry.

/// An isotropic material of linear elasticity. The times of products do not depend on it.
struct ElasticMaterial {
  Real young_modulus_kpa = 10;  ///< positive; 10 kPa is the order of magnitude of relaxed heart muscle
  Real poisson_ratio = 0.4;     ///< in (−1, 0.5)
};

/// The stiffness matrix of linear elasticity of a checked mesh in kPa·mm, three unknowns a node: the displacement in x,
/// y and z. With Lamé's λ = E ν / ((1 + ν)(1 − 2ν)) and μ = E / (2 (1 + ν)) the block of nodes I and J is
///
///   K_IJ = Σ_e V_e (λ G_I ⊗ G_J + μ G_J ⊗ G_I + μ (G_I · G_J) 1),
///
/// which is Bᵀ D B of three-dimensional elasticity (T. J. R. Hughes, The Finite Element Method, 2000, ch. 2). No
/// node is held, so that the matrix is symmetric and positive semi-definite with the rigid motions as its null space.
/// Throws InputError for more entries than an Index can number.
BenchMatrix elasticity_matrix(const std::string& name, const Mesh& mesh, const ElasticMaterial& material = {});

/// Isotropic diffusivities of the bidomain model, conductivity over surface to volume ratio and membrane capacitance:
/// 0.17 and 0.62 S/m over 140/mm · 0.01 µF/mm², those along the fibers of Niederer et al. 2011 (Phil. Trans. R. Soc. A
/// 369). The times of products do not depend on them.
struct BidomainMedium {
  Real intracellular_mm2_per_ms = 0.17 / 1.4, extracellular_mm2_per_ms = 0.62 / 1.4, step_ms = 0.1;
};

/// The matrix of a time step of the bidomain model without its reaction, in mm³/ms, two unknowns a node: the
/// transmembrane and the extracellular potential,
///
///   | M/h + K_i   K_i       |
///   | K_i         K_i + K_e |
///
/// with lumped mass M (J. Sundnes et al., Computing the Electrical Activity in the Heart, 2006). The
/// extracellular potential of the first node is joined to ground by as much conductance as to its neighbors, without
/// which it would be known up to a constant. Symmetric and positive definite. Throws InputError for more entries than
/// an Index can number.
BenchMatrix bidomain_matrix(const std::string& name, const Mesh& mesh, const BidomainMedium& medium = {});

/// The matrix of a mesh with so many unknowns a node: mesh_matrix(), bidomain_matrix() or elasticity_matrix().
/// `unknowns` is 1, 2 or 3; the nodes are numbered by locality.
BenchMatrix mesh_matrix(const std::string& name, const Mesh& mesh, Index unknowns);

}  // namespace cardiowarp
