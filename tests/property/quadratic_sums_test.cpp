// Every assembly and every operator of quadratic tetrahedra against the sum of element matrices: entries, products, the
// right-hand side and the diagonal, on meshes with straight and with curved edges.

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "assembly/build_sparsity.hpp"
#include "assembly/operators/quadratic_operator.hpp"
#include "assembly/papers/element_scatter.hpp"
#include "assembly/papers/lazy_ell.hpp"
#include "assembly/papers/local_sums.hpp"
#include "assembly/papers/quadratic_global_nz.hpp"
#include "assembly/papers/shared_nz_general.hpp"
#include "assembly/quadratic_assembly.hpp"
#include "assembly/quadratic_spmv.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "meshes/generate.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/element_sums.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 29;

/// Quadratic tetrahedra with the nodes of their edges moved by up to a twentieth of the edge.
Mesh curved(const Mesh& linear) {
  const std::size_t corners = linear.nodes.size();
  Mesh mesh = quadratic_mesh(linear);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Real> shift(-1, 1);
  std::vector<Real> length(mesh.nodes.size(), std::numeric_limits<Real>::max());
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    for (int k = 0; k < 6; ++k)
      length[mesh.edge_nodes[e][k]] =
          norm(mesh.nodes[mesh.tetrahedra[e][edge_corners[k][0]]] - mesh.nodes[mesh.tetrahedra[e][edge_corners[k][1]]]);
  for (std::size_t i = corners; i < mesh.nodes.size(); ++i)
    mesh.nodes[i] = mesh.nodes[i] + (0.03 * length[i]) * Vector3{shift(generator), shift(generator), shift(generator)};
  return mesh;
}

std::vector<NamedMesh> all_meshes() {
  const Mesh two = apart(random_mesh({3, 2, 2}, 1, seed), random_mesh({2, 2, 1}, 1, seed + 1));
  return {{"one straight tetrahedron", quadratic_mesh(one_tetrahedron())},
          {"one curved tetrahedron", curved(one_tetrahedron())},
          {"a fan of 41", curved(fan(41))},
          {"two boxes apart", curved(two)},
          {"a distorted box", quadratic_mesh(random_mesh({5, 4, 3}, 0.8, seed + 2))}};
}

/// One state of a Newton iteration on a mesh, and the sums of its elements.
struct Case : ExpectedSums {
  explicit Case(const Mesh& given)
      : mesh(given),
        sparsity(build_quadratic_sparsity(quadratic_nodes_of(mesh), static_cast<Index>(mesh.nodes.size()))),
        layout(matrix_layout(sparsity, {.format = MatrixFormat::csr})),
        points(quadratic_points_of(mesh)),
        cells{{.b = 0.1}, {.b = 0.2}},
        phi(random_values(mesh.nodes.size(), seed + 3, 0.1, 0.9)),
        load(random_values(mesh.nodes.size(), seed + 4, 0.1, 0.9)),
        old(random_values(points.volume.size(), seed + 6, 0.1, 0.9)),
        now(points.volume.size()) {
    x = random_values(mesh.nodes.size(), seed + 5, 0.1, 0.9);
    terms = 140.0 * most_elements(sparsity);  // 14 points, and what a frame costs
    const std::size_t elements = mesh.tetrahedra.size();
    const std::vector<Real> random = random_values(4 * elements, seed + 7, 0.1, 0.9);
    for (std::size_t e = 0; e < elements; ++e) {
      const Real* of = &random[4 * e];
      const Vector3 fiber{of[0], of[1] - 0.5, 1};
      diffusivity.push_back({of[2], of[3], (1 / norm(fiber)) * fiber});
      cell_model.push_back(static_cast<std::uint16_t>(e % 2));
    }
    CpuBackend backend;
    QuadraticPointLoopOf<CpuBackend, AlievPanfilov> loop(backend, points, cells, cell_model);
    loop.evaluate(backend, state());
    adds.assign(loop.adds(), loop.adds() + points.volume.size());
    sum_elements();
  }

  ElementState state() {
    return {phi.data(), load.data(), old.data(), now.data(), &step, static_cast<Index>(points.volume.size())};
  }

  /// By its definition: a point adds v ∇N_i · D ∇N_j + tangent N_i N_j and v ∇N_i · D ∇φ + residual N_i.
  void sum_elements() {
    matrix.assign(sparsity.entries(), 0);
    entry_size = matrix;
    begin(mesh.nodes.size());
    constexpr auto rule = fourteen_points();
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
      const QuadraticNodes nodes = nodes_of(mesh, e);
      for (int q = 0; q < quadratic_points; ++q) {
        const TangentResidual& add = adds[quadratic_points * e + q];
        const QuadraticGeometry of = quadratic_geometry(positions_of(mesh, e), rule[q].at);
        const auto shape = quadratic_shapes(rule[q].at);
        const Real volume = rule[q].share * of.determinant / 6;
        for (int i = 0; i < quadratic_nodes; ++i) {
          const Index row = nodes[i];
          residual[row] += add.residual * shape[i];
          residual_size[row] += std::fabs(add.residual * shape[i]);
          for (int j = 0; j < quadratic_nodes; ++j) {
            const Index column = nodes[j];
            const Real diffusion = volume * dot(of.gradient[i], diffusivity[e].times(of.gradient[j])),
                       entry = diffusion + add.tangent * shape[i] * shape[j],
                       of_entry = volume * norm(of.gradient[i]) * norm(of.gradient[j]) *
                                      (diffusivity[e].isotropic + diffusivity[e].anisotropic) +
                                  std::fabs(add.tangent * shape[i] * shape[j]);
            const Index at = entry_of(row, column);
            matrix[at] += entry;
            entry_size[at] += of_entry;
            product[row] += entry * x[column];
            size[row] += of_entry * std::fabs(x[column]);
            residual[row] += diffusion * phi[column];
            residual_size[row] += of_entry * std::fabs(phi[column]);
            if (i == j) diagonal[row] += entry;
          }
        }
      }
    }
  }

  Index entry_of(Index row, Index column) const {
    const auto begin = sparsity.column.begin() + sparsity.row_begin[row],
               end = sparsity.column.begin() + sparsity.row_begin[row + 1];
    return static_cast<Index>(std::find(begin, end, column) - sparsity.column.begin());
  }

  Mesh mesh;
  Sparsity sparsity;
  MatrixLayout layout;
  QuadraticPoints points;
  std::vector<AlievPanfilov> cells;
  std::vector<std::uint16_t> cell_model;
  std::vector<Diffusivity> diffusivity;
  Real step = 0.05;
  std::vector<Real> phi, load, old, now;
  std::vector<TangentResidual> adds;
  std::vector<Real> matrix, entry_size;  ///< [entries] K, and the sum of the sizes of its terms
};

template <class Value, class Number>
Found found(Case& of, OperatorKind kind) {
  CpuBackend backend;
  OperatorPlan plan = quadratic_operator_plan(kind, of.mesh, of.diffusivity, of.sparsity, of.layout);
  plan.in_single = true;
  QuadraticOperator<CpuBackend> K(backend, plan, of.mesh, of.diffusivity, of.sparsity, of.layout);
  QuadraticOperatorAssembly<CpuBackend> assembly(backend, of.points, of.cells, of.cell_model);
  assembly.evaluate_elements(backend, of.state());
  return found_by<Value, Number>(
      backend, K, plan.values(), of.x, [&](auto& matrix, Real* negative_residual, Real* inverse_diagonal) {
        assembly.assemble(backend, matrix, of.phi.data(), negative_residual, inverse_diagonal);
      });
}

template <class Value, class Number>
void expect_the_sum_of_element_matrices(Real rounding) {
  for (const NamedMesh& named : all_meshes()) {
    Case of(named.mesh);
    for (const OperatorKind kind : all_kinds) {
      SCOPED_TRACE(named.name + ", " + std::string(name_of(kind)));
      expect_sums(found<Value, Number>(of, kind), of, rounding);
    }
  }
}

TEST(QuadraticOperators, AreTheSumOfTheMatricesOfTheElements) {
  expect_the_sum_of_element_matrices<Real, Real>(epsilon);
}

TEST(QuadraticOperators, AreThatInMixedAndInSinglePrecisionUpToItsRounding) {
  expect_the_sum_of_element_matrices<float, Real>(std::numeric_limits<float>::epsilon());
  expect_the_sum_of_element_matrices<float, float>(std::numeric_limits<float>::epsilon());
}

TEST(QuadraticOperators, AreTheSameForAnyNumberOfThreads) {
  Case of(curved(random_mesh({5, 4, 3}, 0.7, seed + 2)));
  expect_no_difference_of_threads([&](OperatorKind kind) { return found<Real, Real>(of, kind); });
}

TEST(QuadraticOperators, StoreTheNumbersOfAMatrixOrTheTangentsOfThePoints) {
  const Case of(quadratic_mesh(random_mesh({2, 2, 1}, 0.7, seed)));
  const auto elements = static_cast<std::int64_t>(of.mesh.tetrahedra.size());
  const auto values = [&](OperatorKind kind) {
    return quadratic_operator_plan(kind, of.mesh, of.diffusivity, of.sparsity, of.layout).values();
  };
  EXPECT_EQ(values(OperatorKind::local), 55 * elements);
  EXPECT_EQ(values(OperatorKind::local_full), 100 * elements);
  EXPECT_EQ(values(OperatorKind::matrix_free), 14 * elements);
  EXPECT_EQ(values(OperatorKind::split), 14 * elements);
}

/// K in CSR, −R and 1 / K_ii of an assembly.
struct System {
  std::vector<Real> matrix, negative_residual, inverse_diagonal;
  friend bool operator==(const System&, const System&) = default;
};

/// The ways to assemble.
enum class Way { gather, elem_color, two_level_color, atomics, lazy_ell, local_row, local_nz, shared_nz };
constexpr Way all_ways[]{Way::gather,   Way::elem_color, Way::two_level_color, Way::atomics,
                         Way::lazy_ell, Way::local_row,  Way::local_nz,        Way::shared_nz};

std::unique_ptr<Assembly<CpuBackend>> made(CpuBackend& backend, const Case& of, const MatrixLayout& layout, Way way,
                                           bool general) {
  using Arrays = QuadraticElementArrays<CpuBackend>;
  const ElementKind kind = general ? ElementKind::general : ElementKind::two_numbers;
  const auto elements = [&](const auto& plan) {
    return Arrays(backend, of.mesh, of.diffusivity, plan.volume, of.cells, of.cell_model);
  };
  if (way == Way::gather && general)
    return std::make_unique<QuadraticGlobalNz<CpuBackend>>(
        backend, quadratic_global_nz_plan(of.mesh, of.sparsity, layout, cpu_device()), of.mesh, of.diffusivity,
        of.cells, of.cell_model);
  if (way == Way::gather)
    return std::make_unique<QuadraticAssembly<CpuBackend>>(
        backend, quadratic_plan(true, of.mesh, of.diffusivity, of.sparsity, layout), of.cells, of.cell_model);
  if (way == Way::lazy_ell) {
    const LazyEllPlan plan = lazy_ell_plan(kind, of.mesh, of.diffusivity, of.sparsity, layout);
    return std::make_unique<LazyEll<CpuBackend, Arrays>>(backend, plan, of.sparsity, elements(plan));
  }
  if (way == Way::local_row || way == Way::local_nz) {
    const LocalSumsPlan plan =
        local_sums_plan(way == Way::local_row, kind, of.mesh, of.diffusivity, of.sparsity, layout);
    return std::make_unique<LocalSums<CpuBackend, Arrays>>(backend, plan, of.sparsity, elements(plan));
  }
  if (way == Way::shared_nz) {  // in parts of up to seven nodes
    const SharedNzGeneralPlan plan =
        quadratic_shared_nz_plan(of.mesh, of.diffusivity, of.sparsity, layout, cpu_device(), {kind, {.nodes = 7}});
    return std::make_unique<SharedNzGeneral<CpuBackend, Arrays>>(backend, plan, elements(plan));
  }
  const ScatterWay scatter = way == Way::atomics      ? ScatterWay::atomics
                             : way == Way::elem_color ? ScatterWay::elem_color
                                                      : ScatterWay::two_level_color;
  const ElementScatterPlan plan = element_scatter_plan({scatter, kind}, of.mesh, of.diffusivity, of.sparsity, layout);
  return std::make_unique<ElementScatter<CpuBackend, Arrays>>(backend, plan, elements(plan));
}

System assembled_by(CpuBackend& backend, Case& of, const MatrixLayout& layout, Assembly<CpuBackend>& assembly) {
  const auto K = make_global_matrix(backend, of.sparsity, layout);
  System system{{}, std::vector<Real>(of.x.size(), 3), std::vector<Real>(of.x.size(), 3)};
  for (int call = 0; call < 2; ++call) {  // what the first has left is no part of the second
    assembly.evaluate_elements(backend, of.state());
    assembly.assemble(backend, *K, of.phi.data(), system.negative_residual.data(), system.inverse_diagonal.data());
  }
  for (const std::int64_t slot : layout.slot_of_entry) system.matrix.push_back(K->value()[slot]);
  return system;
}

System assembled(Case& of, const MatrixLayout& layout, Way way, bool general) {
  CpuBackend backend;
  return assembled_by(backend, of, layout, *made(backend, of, layout, way, general));
}

void expect_sum_of_elements(const System& is, const Case& of) {
  of.expect_system(is.negative_residual, is.inverse_diagonal);
  for (std::size_t e = 0; e < of.matrix.size(); ++e)
    ASSERT_NEAR(is.matrix[e], of.matrix[e], of.terms * epsilon * of.entry_size[e]) << "entry " << e;
}

TEST(QuadraticAssemblies, AreTheSumOfTheMatricesOfTheElements) {
  const MatrixOptions slices{.format = MatrixFormat::ell_warp};
  for (const NamedMesh& named : all_meshes()) {
    Case of(named.mesh);
    for (const MatrixLayout& layout : {of.layout, matrix_layout(of.sparsity, slices)})
      for (const Way way : all_ways)
        for (const bool general : {false, true}) {
          SCOPED_TRACE(named.name + ", " + format_name(layout.options) + ", way " +
                       std::to_string(static_cast<int>(way)) + (general ? ", general" : ""));
          expect_sum_of_elements(assembled(of, layout, way, general), of);
        }
  }
}

TEST(QuadraticAssemblies, ByProductsOfEveryKindAreTheSumOfTheMatricesOfTheElements) {
  for (const NamedMesh& named : all_meshes()) {
    Case of(named.mesh);
    for (const EllWarpOptions& variant : all_variants(8, 64))
      for (const bool through_csr : {false, true}) {
        SCOPED_TRACE(named.name + ", " + ell_warp_name(variant) + (through_csr ? ", through CSR" : ""));
        CpuBackend backend;
        QuadraticSpmvAssembly<CpuBackend> assembly(
            backend,
            spmv_assembly_plan(of.points.nodes, of.sparsity, of.layout,
                               {AssemblyStrategy::spmv, variant, 0, through_csr}),
            quadratic_point_loop(backend, of.points, of.cells, of.cell_model), of.mesh, of.diffusivity);
        expect_sum_of_elements(assembled_by(backend, of, of.layout, assembly), of);
      }
  }
}

TEST(QuadraticAssemblies, ByEveryWayOfGlobalNzAreTheSumOfTheMatricesOfTheElements) {
  const MatrixOptions slices{.format = MatrixFormat::ell_warp};
  for (const NamedMesh& named : all_meshes()) {
    Case of(named.mesh);
    for (const MatrixLayout& layout : {of.layout, matrix_layout(of.sparsity, slices)})
      for (const GlobalElements elements : {GlobalElements::plain, GlobalElements::prefetched, GlobalElements::nodal})
        for (const GlobalSums sums : {GlobalSums::of_a_thread, GlobalSums::packed}) {
          SCOPED_TRACE(named.name + ", " + format_name(layout.options) + ", " +
                       std::to_string(static_cast<int>(elements)) + ", " + std::to_string(static_cast<int>(sums)));
          CpuBackend backend;
          QuadraticGlobalNz<CpuBackend> assembly(backend,
                                                 quadratic_global_nz_plan(of.mesh, of.sparsity, layout, cpu_device(),
                                                                          {.elements = elements, .sums = sums}),
                                                 of.mesh, of.diffusivity, of.cells, of.cell_model);
          expect_sum_of_elements(assembled_by(backend, of, layout, assembly), of);
        }
  }
}

TEST(QuadraticAssemblies, RepeatEveryBitWithoutAtomicAdditions) {
  Case of(curved(random_mesh({5, 4, 3}, 0.7, seed + 2)));
  const int threads = omp_get_max_threads();
  for (const Way way :
       {Way::gather, Way::elem_color, Way::two_level_color, Way::local_row, Way::local_nz, Way::shared_nz})
    for (const bool general : {false, true}) {
      omp_set_num_threads(1);
      const System one = assembled(of, of.layout, way, general);
      omp_set_num_threads(3);
      EXPECT_EQ(assembled(of, of.layout, way, general), one);
      omp_set_num_threads(threads);
    }
}

TEST(QuadraticAssemblies, AreRefusedWhereRowsOrTheElementsOfANodeAreTooMany) {
  const Case of(curved(fan(41)));
  Device device = nvidia_h200();
  const auto parts = [&](ElementKind kind) {
    return quadratic_shared_nz_plan(of.mesh, of.diffusivity, of.sparsity, of.layout, device, {kind});
  };
  EXPECT_LE(parts(ElementKind::general).shared_bytes, most_general_part_bytes);
  device.shared_bytes = (22 << 10) + 2048;  // 41 elements of 520 bytes, and one of padding
  EXPECT_EQ(parts(ElementKind::general).shared_bytes, std::size_t{42} * 520);
  device.shared_bytes = (21 << 10) + 2048;
  const auto refusal = [](const char* strategy) {
    return std::string("assembly.strategy: ") + strategy +
           " keeps the numbers of elements in shared memory: one node needs 22 KiB, there are 21 KiB (auto takes the "
           "gather that suits)";
  };
  EXPECT_EQ(test::input_error_of([&] { parts(ElementKind::two_numbers); }), refusal("shared_nz"));
  EXPECT_EQ(test::input_error_of([&] { parts(ElementKind::general); }), refusal("shared_nz_general"));

  const auto by_row = [](int tetrahedra) {  // whose longest row has 4 tetrahedra + 3 entries
    const Case wide(quadratic_mesh(fan(tetrahedra)));
    return local_sums_plan(true, ElementKind::general, wide.mesh, wide.diffusivity, wide.sparsity, wide.layout);
  };
  EXPECT_NO_THROW(by_row(63));
  EXPECT_EQ(test::input_error_of([&] { by_row(64); }),
            "assembly.strategy: local_row needs rows of at most 256 entries, the longest has 259 (auto takes the "
            "gather that suits)");
}

TEST(QuadraticAssemblies, HaveBlocksOfElementsWithTheirNodes) {
  const Mesh mesh = quadratic_mesh(random_mesh({5, 4, 3}, 0.8, seed));
  const std::vector<QuadraticNodes> nodes_of = quadratic_nodes_of(mesh);
  const QuadraticBlocks blocks = quadratic_blocks(nodes_of);
  ASSERT_GT(blocks.blocks(), 1);
  ASSERT_EQ(blocks.element_begin.back(), static_cast<Index>(nodes_of.size()));
  Index most = 0;
  for (Index block = 0; block < blocks.blocks(); ++block) {
    most = std::max(most, blocks.node_begin[block + 1] - blocks.node_begin[block]);
    const auto first = blocks.node.begin() + blocks.node_begin[block],
               end = blocks.node.begin() + blocks.node_begin[block + 1];
    ASSERT_EQ(std::adjacent_find(first, end, std::greater_equal<>()), end) << "not ascending";
    for (Index e = blocks.element_begin[block]; e < blocks.element_begin[block + 1]; ++e)
      for (int i = 0; i < quadratic_nodes; ++i)
        ASSERT_EQ(blocks.node[blocks.node_begin[block] + blocks.local[e][i]], nodes_of[e][i]) << e;
  }
  EXPECT_EQ(blocks.most_nodes, most);
}

// A color has no two elements with a node in common, corner or not.
TEST(QuadraticAssemblies, HaveColorsWithoutNeighbors) {
  const Case of(quadratic_mesh(random_mesh({3, 3, 2}, 0.7, seed)));
  const ElementScatterPlan plan = element_scatter_plan({ScatterWay::elem_color, ElementKind::two_numbers}, of.mesh,
                                                       of.diffusivity, of.sparsity, of.layout);
  ASSERT_EQ(plan.color_begin.back(), static_cast<Index>(of.mesh.tetrahedra.size()));
  for (Index color = 0; color < plan.colors(); ++color) {
    std::vector<int> met(of.mesh.nodes.size(), 0);
    for (Index place = plan.color_begin[color]; place < plan.color_begin[color + 1]; ++place)
      for (const Index node : of.points.nodes[plan.order[place]]) ASSERT_EQ(met[node]++, 0) << node;
  }
}

}  // namespace
}  // namespace cardiowarp
