#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/degree_bench.hpp"
#include "app/bench/near.hpp"
#include "app/measure/stopwatch.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/cell_contributions.hpp"
#include "assembly/locality_order.hpp"
#include "assembly/operators/element_loops.hpp"
#include "assembly/options.hpp"
#include "assembly/papers/element_scatter.hpp"
#include "fem/lagrange_tetrahedron.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

// The study of degrees on one backend, for elements of one degree: DegreeStudy works out the mesh, its matrix and the
// lists of contributions in host memory, and measures every way to assemble and to multiply that is written for any
// backend. degree_cpu.cpp and degree_cuda.cu say how a call is timed; degree_cuda.cu also has products that only a GPU
// has.

/// Loop body over the elements: their numbers, number k of element e at k · elements + e.
template <int Degree>
struct StoreLagrange {
  LagrangeElements<Degree> of;
  Real *matrix, *load;  ///< [entries × elements], [nodes an element × elements] out
  CARDIOWARP_HD void operator()(Index element) const {
    const std::int64_t stride = of.elements;
    of.numbers(
        element, [&](int k, int, int, Real number) { matrix[k * stride + element] = number; },
        [&](int i, Real number) { load[i * stride + element] = number; });
  }
};

/// Loop body over the elements from place `first` on: adds their numbers where they belong.
template <int Degree, bool Atomic>
struct ScatterLagrange {
  LagrangeElements<Degree> of;
  const Index* order;         ///< [elements]
  const std::uint32_t* slot;  ///< as scatter_slots() has it
  Real *value, *load;         ///< [slots], [nodes] in and out
  Index first;
  CARDIOWARP_HD void operator()(Index at) const {
    constexpr int N = lagrange_nodes<Degree>;
    const Index place = first + at, element = order[place];
    const auto slot_of = [&](int i, int j) { return slot[std::int64_t{N * i + j} * of.elements + place]; };
    of.numbers(
        element,
        [&](int, int i, int j, Real number) {
          add_to<Atomic>(value + slot_of(i, j), number);
          if (i != j) add_to<Atomic>(value + slot_of(j, i), number);
        },
        [&](int i, Real number) { add_to<Atomic>(load + of.nodes[element][i], number); });
  }
};

/// The mesh, the matrix and the right-hand side of one degree in host memory.
template <int Degree>
struct DegreeProblem {
  static constexpr int N = lagrange_nodes<Degree>;
  static constexpr int entries = lagrange_entries<Degree>;
  static constexpr Real reaction = 2;

  /// The nodes are numbered and the matrix is stored as in a run on `device`.
  DegreeProblem(const Mesh& linear, const Device& device) : mesh(lagrange_mesh<Degree>(linear)) {
    mesh = renumbered(mesh, locality_order(mesh.position));
    sort_elements();
    sparsity = sparsity_of();
    in_curve = sparsity;
    const MatrixOptions options = chosen_options({}, device, row_lengths(sparsity.row_begin));
    const std::vector<Index> order = node_order_for(options, row_lengths(sparsity.row_begin));
    if (!order.empty()) {
      mesh = renumbered(mesh, order);
      sparsity = sparsity_of();
    }
    layout = matrix_layout(sparsity, options);
    diffusivity.assign(mesh.elements.size(), {0.1, 0.3, {0.6, 0, 0.8}});
    for (const Vector3& p : mesh.position) {
      source.push_back(1 + 0.5 * std::sin(p.x + 2 * p.y - p.z));
      x.push_back(std::cos(3 * p.x - p.y + 0.5 * p.z));
    }
    sum_elements();
  }

  LagrangeElements<Degree> on_host() const {
    return {static_cast<Index>(mesh.elements.size()),
            mesh.elements.data(),
            mesh.position.data(),
            diffusivity.data(),
            source.data(),
            &table,
            reaction};
  }

  /// The matrix in compressed rows, the right-hand side and K x, by a loop over the elements.
  void sum_elements() {
    value.assign(sparsity.column.size(), 0);
    load.assign(mesh.position.size(), 0);
    product.assign(mesh.position.size(), 0);
    const LagrangeElements<Degree> elements = on_host();
    for (Index element = 0; element < elements.elements; ++element) {
      const auto& nodes = mesh.elements[element];
      const auto add = [&](int i, int j, Real number) {
        const auto begin = sparsity.column.begin() + sparsity.row_begin[nodes[i]],
                   end = sparsity.column.begin() + sparsity.row_begin[nodes[i] + 1];
        value[std::lower_bound(begin, end, nodes[j]) - sparsity.column.begin()] += number;
        product[nodes[i]] += number * x[nodes[j]];
      };
      elements.numbers(
          element,
          [&](int, int i, int j, Real number) {
            add(i, j, number);
            if (i != j) add(j, i, number);
          },
          [&](int i, Real number) { load[nodes[i]] += number; });
    }
  }

  LagrangeTable<Degree> table = lagrange_table<Degree>();
  LagrangeMesh<Degree> mesh;
  Sparsity sparsity, in_curve;  ///< of K; in_curve with the nodes in the order of the Hilbert curve
  MatrixLayout layout;
  std::vector<Diffusivity> diffusivity;
  std::vector<Real> source, x;
  std::vector<Real> value, load, product;  ///< [entries of K] in compressed rows, [nodes], [nodes]

 private:
  /// The order of the elements in which a Hilbert curve visits their centers.
  void sort_elements() {
    std::vector<Vector3> centre;
    for (const Tetrahedron& of : mesh.corners)
      centre.push_back(0.25 *
                       (mesh.position[of[0]] + mesh.position[of[1]] + mesh.position[of[2]] + mesh.position[of[3]]));
    const std::vector<Index> order = locality_order(centre);
    LagrangeMesh<Degree> sorted{mesh.position, {}, {}};
    for (const Index element : order) {
      sorted.elements.push_back(mesh.elements[element]);
      sorted.corners.push_back(mesh.corners[element]);
    }
    mesh = std::move(sorted);
  }

  Sparsity sparsity_of() const {
    const auto nodes = static_cast<Index>(mesh.position.size());
    if constexpr (Degree == 1)
      return build_sparsity(mesh.elements, nodes);
    else if constexpr (Degree == 2)
      return build_quadratic_sparsity(mesh.elements, nodes);
    else
      return build_cubic_sparsity(mesh.elements, nodes);
  }
};

/// How SharedNZ (paper 004 sec. 4.3) would cut the nodes into parts of which all elements fit into the shared memory of
/// a block: consecutive nodes of the curve, each part as large as that allows.
template <int Degree>
DegreeMeasurement shared_parts(const DegreeProblem<Degree>& problem) {
  constexpr std::size_t shared_bytes = 227 << 10;
  constexpr auto most =
      static_cast<Index>(shared_bytes / (sizeof(Real) * (lagrange_entries<Degree> + lagrange_nodes<Degree>)));
  DegreeMeasurement m;
  m.operation = "parts";
  m.method = "shared_nz";
  m.elements_a_part = most;
  const Incidence& incidence = problem.in_curve.incidence;
  std::vector<Index> part_of(problem.mesh.elements.size(), -1);
  std::int64_t evaluated = 0;
  Index part = 0, elements = 0;
  for (Index node = 0; node < incidence.nodes(); ++node) {
    const auto of_node = incidence.elements_of(node);
    if (static_cast<Index>(of_node.size()) > most) return m;
    const auto is_new = [&](Index element) { return part_of[element] != part; };
    const auto more = static_cast<Index>(std::count_if(of_node.begin(), of_node.end(), is_new));
    if (elements + more > most) {
      ++part;
      elements = 0;
    }
    for (const Index element : of_node)
      if (is_new(element)) {
        part_of[element] = part;
        ++elements;
        ++evaluated;
      }
  }
  m.evaluations = static_cast<double>(evaluated) / static_cast<double>(part_of.size());
  return m;
}

/// The measurements of one degree on a backend. `Seconds` times calls: seconds(call) returns the seconds of a single
/// call once for each repetition.
template <Backend B, int Degree, class Seconds>
class DegreeStudy {
 public:
  static constexpr int N = lagrange_nodes<Degree>, entries = lagrange_entries<Degree>;
  using Problem = DegreeProblem<Degree>;

  DegreeStudy(B& backend, const Problem& problem, Seconds seconds)
      : backend_(backend),
        problem_(problem),
        seconds_(std::move(seconds)),
        elements_(static_cast<Index>(problem.mesh.elements.size())),
        node_count_(static_cast<Index>(problem.mesh.position.size())),
        nodes_(uploaded(backend, problem.mesh.elements)),
        position_(uploaded(backend, problem.mesh.position)),
        diffusivity_(uploaded(backend, problem.diffusivity)),
        source_(uploaded(backend, problem.source)),
        x_(uploaded(backend, problem.x)),
        y_(backend.template allocate<Real>(problem.x.size())),
        load_(backend.template allocate<Real>(problem.x.size())),
        table_(uploaded(backend, std::vector<LagrangeTable<Degree>>{problem.table})),
        matrix_(backend.template allocate<Real>(std::size_t{entries} * elements_)),
        loads_(backend.template allocate<Real>(std::size_t{N} * elements_)) {}

  /// Measures every method that is written for any backend.
  void measure() {
    measurements_.push_back(described(shared_parts(problem_)));
    store_elements();
    gather_elements();
    scatter_elements<false>("elem_color");
    scatter_elements<true>("atomics");
    local_product();
    const std::vector<Index> length = row_lengths(problem_.sparsity.row_begin);
    format_product({.format = MatrixFormat::csr});
    if (problem_.layout.options.format != MatrixFormat::csr) format_product(problem_.layout.options);
  }

  /// y = K x in a format.
  void format_product(const MatrixOptions& options) {
    const Stopwatch setup;
    const MatrixLayout layout = matrix_layout(problem_.sparsity, options);
    const auto K = make_global_matrix(backend_, problem_.sparsity, layout);
    std::vector<Real> value(layout.slots, 0);
    for (std::size_t e = 0; e < problem_.value.size(); ++e) value[layout.slot_of_entry[e]] = problem_.value[e];
    backend_.upload(std::span<const Real>(value), K->value());
    measure_product(format_name(options), setup.seconds(), 12 * layout.slots + 20 * std::int64_t{node_count_},
                    [&] { K->multiply(backend_, static_cast<const Real*>(K->value()), x_.data(), y_.data()); });
  }

  /// y = K x by a call that writes y.
  void measure_product(const std::string& method, double setup_s, std::int64_t bytes,
                       const std::function<void()>& call) {
    DegreeMeasurement m;
    m.operation = "product";
    m.method = method;
    m.setup_s = setup_s;
    m.bytes = bytes;
    call();
    m.correct = near(downloaded_from(y_), problem_.product);
    finish(std::move(m), call);
  }

  B& backend() { return backend_; }
  const Problem& problem() const { return problem_; }
  const Real* x() const { return x_.data(); }
  Real* y() { return y_.data(); }
  std::vector<DegreeMeasurement>& measurements() { return measurements_; }

 private:
  LagrangeElements<Degree> elements() const {
    return {elements_,      nodes_.data(), position_.data(), diffusivity_.data(),
            source_.data(), table_.data(), Problem::reaction};
  }

  std::vector<Real> downloaded_from(const Buffer<Real>& buffer) const {
    std::vector<Real> values(buffer.size());
    backend_.download(static_cast<const Real*>(buffer.data()), std::span<Real>(values));
    return values;
  }

  DegreeMeasurement described(DegreeMeasurement m) const {
    m.degree = Degree;
    m.nodes = node_count_;
    m.elements = elements_;
    m.nonzeros = problem_.sparsity.entries();
    return m;
  }

  template <class Call>
  void finish(DegreeMeasurement m, const Call& call) {
    if (*m.correct) m.seconds = spread_of(seconds_(call));
    measurements_.push_back(described(std::move(m)));
  }

  /// The bytes that the elements read where each node is read once.
  std::int64_t element_bytes() const {
    constexpr std::size_t of_node = sizeof(Vector3) + sizeof(Real);
    return std::int64_t{elements_} * static_cast<std::int64_t>(N * sizeof(Index) + sizeof(Diffusivity)) +
           node_count_ * static_cast<std::int64_t>(of_node);
  }
  std::int64_t number_bytes() const {
    return std::int64_t{elements_} * static_cast<std::int64_t>((entries + N) * sizeof(Real));
  }
  std::int64_t sum_bytes() const { return 8 * (problem_.layout.slots + node_count_); }

  void store() { backend_.for_each(elements_, StoreLagrange<Degree>{elements(), matrix_.data(), loads_.data()}); }

  void store_elements() {
    DegreeMeasurement m;
    m.operation = "assembly";
    m.method = "local";
    m.bytes = element_bytes() + number_bytes();
    store();
    m.correct = numbers_are_right();
    finish(std::move(m), [&] { store(); });
  }

  bool numbers_are_right() const {
    const std::vector<Real> matrix = downloaded_from(matrix_), loads = downloaded_from(loads_);
    std::vector<Real> expected_matrix(matrix.size()), expected_loads(loads.size());
    StoreLagrange<Degree> body{problem_.on_host(), expected_matrix.data(), expected_loads.data()};
    for (Index element = 0; element < elements_; ++element) body(element);
    return near(matrix, expected_matrix) && near(loads, expected_loads);
  }

  /// Whether K and the right-hand side that an assembly has written are right.
  bool system_is_right(const Buffer<Real>& K) const {
    const std::vector<Real> in_slots = downloaded_from(K);
    std::vector<Real> value;
    for (const std::int64_t slot : problem_.layout.slot_of_entry) value.push_back(in_slots[slot]);
    return near(value, problem_.value) && near(downloaded_from(load_), problem_.load);
  }

  void gather_elements() {
    const Stopwatch setup;
    const CellGather plan = cell_gather(problem_.mesh.elements, problem_.sparsity, problem_.layout);
    const Buffer<std::uint32_t> entry_begin = uploaded(backend_, plan.entry_begin),
                                entry = uploaded(backend_, plan.entry),
                                node_begin = uploaded(backend_, plan.node_begin), node = uploaded(backend_, plan.node);
    const Buffer<Real> K = backend_.template allocate<Real>(problem_.layout.slots);
    DegreeMeasurement m;
    m.operation = "assembly";
    m.method = "global_nz";
    m.setup_s = setup.seconds();
    m.bytes = element_bytes() + 2 * number_bytes() + sum_bytes() +
              4 * static_cast<std::int64_t>(plan.entry.size() + plan.entry_begin.size() + plan.node.size() +
                                            plan.node_begin.size());
    const auto call = [&] {
      store();
      backend_.for_each(static_cast<Index>(problem_.layout.slots),
                        GatherNumbers{entry_begin.data(), entry.data(), matrix_.data(), nullptr, K.data()});
      backend_.for_each(node_count_,
                        GatherNumbers{node_begin.data(), node.data(), loads_.data(), nullptr, load_.data()});
    };
    call();
    m.correct = system_is_right(K);
    finish(std::move(m), call);
  }

  template <bool Atomic>
  void scatter_elements(const char* method) {
    const Stopwatch setup;
    const ScatterOrder plan =
        scatter_order(Atomic ? ScatterWay::atomics : ScatterWay::elem_color, problem_.mesh.corners, node_count_);
    const Buffer<Index> order = uploaded(backend_, plan.order);
    const Buffer<std::uint32_t> slot = uploaded(
        backend_,
        scatter_slots(problem_.mesh.elements, inverse_permutation(plan.order), problem_.sparsity, problem_.layout));
    const Buffer<Real> K = backend_.template allocate<Real>(problem_.layout.slots);
    DegreeMeasurement m;
    m.operation = "assembly";
    m.method = method;
    m.setup_s = setup.seconds();
    if (!Atomic) m.colors = plan.colors();
    // Both are set to 0, and each number is read and written once.
    m.bytes = element_bytes() + 3 * sum_bytes() + 4 * static_cast<std::int64_t>(slot.size() + plan.order.size());
    const auto call = [&] {
      backend_.for_each(static_cast<Index>(problem_.layout.slots), SetToZero{K.data()});
      backend_.for_each(node_count_, SetToZero{load_.data()});
      for (std::size_t color = 0; color + 1 < plan.color_begin.size(); ++color) {
        const Index first = plan.color_begin[color];
        backend_.for_each(
            plan.color_begin[color + 1] - first,
            ScatterLagrange<Degree, Atomic>{elements(), order.data(), slot.data(), K.data(), load_.data(), first});
      }
    };
    call();
    m.correct = system_is_right(K);
    finish(std::move(m), call);
  }

  /// y = K x from the matrices of the elements, which store() has written; each node gathers what its elements add.
  void local_product() {
    const Stopwatch setup;
    const Incidence& incidence = problem_.sparsity.incidence;
    std::vector<Index> incident(incidence.element.size());
    for (Index row = 0; row < node_count_; ++row)
      for (Index k = incidence.begin[row]; k < incidence.begin[row + 1]; ++k)
        incident[k] = N * incidence.element[k] + place_in(problem_.mesh.elements[incidence.element[k]], row);
    const Buffer<Index> begin = uploaded(backend_, incidence.begin), at = uploaded(backend_, incident);
    const Buffer<Real> parts = backend_.template allocate<Real>(std::size_t{N} * elements_);
    store();
    using Gather = GatherParts<false, false, false, Real, Real>;
    const Gather gather{{begin.data(), at.data()}, nullptr, parts.data(), x_.data(), y_.data()};
    const std::int64_t bytes =
        std::int64_t{elements_} * (8 * entries + N * (4 + 8 + 4 + 8)) + std::int64_t{node_count_} * (8 + 8 + 4);
    measure_product("local", setup.seconds(), bytes, [&] {
      backend_.for_each(elements_, LocalProduct<N, false, Real, Real>{elements_, nodes_.data(), matrix_.data(),
                                                                      x_.data(), parts.data()});
      backend_.for_each(node_count_, WithoutDot<Gather>{gather});
    });
  }

  B& backend_;
  const Problem& problem_;
  Seconds seconds_;
  Index elements_, node_count_;
  Buffer<std::array<Index, N>> nodes_;
  Buffer<Vector3> position_;
  Buffer<Diffusivity> diffusivity_;
  Buffer<Real> source_, x_, y_, load_;
  Buffer<LagrangeTable<Degree>> table_;
  Buffer<Real> matrix_, loads_;
  std::vector<DegreeMeasurement> measurements_;
};

/// body(constant) with the degree as a constant.
template <class Result, class Body>
Result with_degree(int degree, const Body& body) {
  if (degree == 1) return body(std::integral_constant<int, 1>());
  if (degree == 2) return body(std::integral_constant<int, 2>());
  return body(std::integral_constant<int, 3>());
}

}  // namespace cardiowarp
