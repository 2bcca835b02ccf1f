#pragma once
#include <array>
#include <cstdint>

#include "fem/cells/reaction_element.hpp"
#include "fem/diffusivity.hpp"
#include "fem/element_nodes.hpp"
#include "fem/entry_place.hpp"
#include "fem/tetrahedron.hpp"
#include "fem/vector3.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The loop bodies of the operators without a global matrix. A product has two loops: one over the elements, which
// stores what each adds at its four corners (or the one number that it adds at all of them), and one over the nodes,
// which gathers these in a fixed order. So nothing is written by two threads, and the sums are the same in every run.
// `Value` is what the numbers of the elements are stored in, `Number` what the vectors are made of, Real or float.

/// The corners of the elements of a mesh. Points are in mm.
struct ElementsView {
  Index elements;
  const Tetrahedron* corners;      ///< [elements]
  const Vector3* point;            ///< [nodes]
  const Diffusivity* diffusivity;  ///< [elements]

  CARDIOWARP_HD TetrahedronGeometry geometry(const Tetrahedron& of) const {
    return tetrahedron_geometry(point[of[0]], point[of[1]], point[of[2]], point[of[3]]);
  }
};

/// parts_c = Σ_j K_cj x_j with the matrix of each element stored: number k of element e at k · elements + e, so that
/// neighboring threads read neighboring numbers (Reguly, Giles 2013, sec. 3.3 and 8). An element with n nodes, of any
/// degree, reads n² values, or n (n + 1) / 2, and 4 n bytes, gathers n numbers and writes 8 n bytes. Each number is
/// read once and used for both halves; the terms of a part come in ascending order of j either way.
template <int Nodes, bool Full, class Value, class Number>
struct LocalProduct {
  Index elements;
  const std::array<Index, Nodes>* nodes;  ///< [elements]
  const Value* value;
  const Number* x;
  Real* parts;  ///< [Nodes × elements]

  CARDIOWARP_HD void operator()(Index element) const {
    Real at[Nodes], sum[Nodes] = {};
    for (int i = 0; i < Nodes; ++i) at[i] = x[nodes[element][i]];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = 0; i < Nodes; ++i)
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int j = Full ? 0 : i; j < Nodes; ++j) {
        const Real entry = value[std::int64_t{entry_place<Nodes, Full>(i, j)} * elements + element];
        sum[i] += entry * at[j];
        if (!Full && j > i) sum[j] += entry * at[i];
      }
    for (int i = 0; i < Nodes; ++i) parts[std::int64_t{Nodes} * element + i] = sum[i];
  }
};

/// Loop body over the elements, like the one above, but it computes the matrix of each element anew (sec. 3.4 there):
///   parts_i = V G_i · D̃ (Σ_j G_j x_j) + tangent Σ_j x_j
/// Reads the tangent and 56 bytes an element, gathers 4 numbers and 4 points, writes 32; about 150 operations.
template <class Value, class Number>
struct FreeProduct {
  ElementsView mesh;
  const Value* tangent;
  const Number* x;
  Real* parts;

  CARDIOWARP_HD void operator()(Index element) const {
    const Tetrahedron corner = mesh.corners[element];
    const TetrahedronGeometry of = mesh.geometry(corner);
    Vector3 gradient;
    Real sum = 0;
    for (int i = 0; i < 4; ++i) {
      const Real at = x[corner[i]];
      gradient = gradient + at * of.gradient[i];
      sum += at;
    }
    const Vector3 flux = of.volume * mesh.diffusivity[element].times(gradient);
    const Real mass = Real{tangent[element]} * sum;
    for (int i = 0; i < 4; ++i) parts[4 * element + i] = dot(of.gradient[i], flux) + mass;
  }
};

/// part = tangent Σ_j x_j, which the element adds at all of its corners. Reads the tangent and 16 bytes an element,
/// gathers 4 numbers, writes 8.
template <class Value, class Number>
struct SplitProduct {
  const Tetrahedron* corners;
  const Value* tangent;
  const Number* x;
  Real* part;  ///< [elements]

  CARDIOWARP_HD void operator()(Index element) const {
    const Tetrahedron corner = corners[element];
    Real sum = 0;
    for (int i = 0; i < 4; ++i) sum += x[corner[i]];
    part[element] = Real{tangent[element]} * sum;
  }
};

/// The elements of each node, as OperatorPlan has them.
struct IncidenceView {
  const Index *begin, *incident;
};

/// Loop body over the nodes, and term of x·y: y_i = d_i x_i + the sum of what its elements add. With `OneNumber` that
/// is one number of each element; with `OnTop` y has the product with the diffusion matrix before; without `AtNodes`
/// all d are 0. That is known to the compiler: with a look at whether there are any, the kernel had 32 registers a
/// thread in place of 40, and an iteration with `split` took 525 µs in place of 388 (1.6 million nodes, H200).
template <bool OneNumber, bool OnTop, bool AtNodes, class Value, class Number>
struct GatherParts {
  IncidenceView of;
  const Value* nodal;  ///< [nodes] d; nullptr without AtNodes
  const Real* parts;   ///< by `incident`, or [elements] with OneNumber; nullptr where elements add nothing
  const Number* x;
  Number* y;

  CARDIOWARP_HD Real row(Index node) const {
    Real sum = OnTop ? Real{y[node]} : Real{0};
    if (parts != nullptr)
      for (Index k = of.begin[node]; k < of.begin[node + 1]; ++k)
        sum += parts[OneNumber ? of.incident[k] >> 2 : of.incident[k]];
    if constexpr (AtNodes) sum += Real{nodal[node]} * x[node];
    return sum;
  }
  CARDIOWARP_HD Terms<1> operator()(Index node) const {
    const auto y_i = static_cast<Number>(row(node));
    y[node] = y_i;
    return {{Real{x[node]} * y_i}};
  }
};

/// A gather that is used for y alone, whose share of the dot product is dropped.
template <class Gather>
struct WithoutDot {
  Gather gather;
  CARDIOWARP_HD void operator()(Index node) const { gather(node); }
};

/// Loop body over the elements: their numbers, and what each adds to R at its corners (sec. 8.1 there). An element
/// matrix is V G_i · D̃ G_j + tangent; without a `Stored` matrix the tangent alone is stored.
template <bool Stored, bool Full>
struct AssembleElements {
  ElementsView mesh;
  const TangentResidual* adds;  ///< [elements], or nullptr where elements have no points
  const Real* phi;              ///< [nodes]
  Real* value;                  ///< [10 elements], [16 elements] or [elements] out
  Real* parts;                  ///< [4 elements] out

  CARDIOWARP_HD void operator()(Index element) const {
    const Tetrahedron corner = mesh.corners[element];
    const TetrahedronGeometry of = mesh.geometry(corner);
    const TangentResidual add = adds != nullptr ? adds[element] : TangentResidual{};
    Vector3 gradient, flux[4];
    for (int i = 0; i < 4; ++i) {
      gradient = gradient + phi[corner[i]] * of.gradient[i];
      flux[i] = of.volume * mesh.diffusivity[element].times(of.gradient[i]);
    }
    for (int i = 0; i < 4; ++i) {
      parts[4 * element + i] = dot(flux[i], gradient) + add.residual;
      if constexpr (Stored)
        for (int j = Full ? 0 : i; j < 4; ++j)
          value[std::int64_t{entry_place<4, Full>(i, j)} * mesh.elements + element] =
              dot(of.gradient[i], flux[j]) + add.tangent;
    }
    if constexpr (!Stored) value[element] = add.tangent;
  }
};

/// Loop body over the elements of `split`: the tangents.
struct CopyTangents {
  const TangentResidual* adds;
  Real* value;
  CARDIOWARP_HD void operator()(Index element) const { value[element] = adds[element].tangent; }
};

/// Loop body over the nodes: −R, 1 / K_ii and the numbers d of the nodes.
struct AssembleNodes {
  IncidenceView of;
  const TangentResidual* adds;      ///< [elements], or nullptr where elements have no points
  const TangentResidual* at_nodes;  ///< [nodes] of the points at vertices, or nullptr
  const Real* parts;                ///< [4 elements] of AssembleElements, or nullptr
  const Real* diagonal;             ///< [nodes] of the diffusion term
  Real* nodal;                      ///< [nodes] out: d
  Real* negative_residual;          ///< [nodes] in, where there are no parts: the diffusion term times φ; out: −R
  Real* inverse_diagonal;           ///< [nodes] out

  CARDIOWARP_HD void operator()(Index node) const {
    Real residual = parts == nullptr ? negative_residual[node] : 0, tangent = diagonal[node];
    for (Index k = of.begin[node]; k < of.begin[node + 1]; ++k) {
      const Index at = of.incident[k];
      if (parts != nullptr) residual += parts[at];
      if (adds != nullptr) {
        const TangentResidual add = adds[at >> 2];
        tangent += add.tangent;
        if (parts == nullptr) residual += add.residual;
      }
    }
    const TangentResidual own = at_nodes != nullptr ? at_nodes[node] : TangentResidual{};
    nodal[node] = own.tangent;
    negative_residual[node] = -(residual + own.residual);
    inverse_diagonal[node] = 1 / (tangent + own.tangent);
  }
};

/// to = from, in single precision
struct ToFloat {
  const Real* from;
  float* to;
  CARDIOWARP_HD void operator()(Index i) const { to[i] = static_cast<float>(from[i]); }
};

}  // namespace cardiowarp
