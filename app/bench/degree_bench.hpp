#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/options.hpp"
#include "app/measure/spread.hpp"
#include "app/measure/table.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// `cardiowarp bench degrees` measures what assembly and product cost with elements of degree 1, 2 and 3, as papers 003
// (Figs. 5 to 19) and 004 (Figs. 13, 14) do for quadrilaterals and triangles. The equation is −∇·D̃∇u + c u = f
// (fem/lagrange_tetrahedron.hpp). The matrix of an element is symmetric and stored as one triangle: with its load an
// element has 10 + 4, 55 + 10 or 210 + 20 numbers. run_bench() calls measure_degree() for each mesh and adds the rows
// to the table. Each result is first held against the sum of the elements on the host; one that is wrong is not timed.
// Times are of many calls, warm.

/// Throws InputError with the name of the option and what is expected.
void require_valid(const DegreeOptions& options);

/// The linear mesh of a box whose elements of `degree` have about so many nodes, with edges of 1 mm.
Mesh box_for_degree(int degree, int nodes);

/// The measurements of one method of an operation. `assembly` has the methods local (only the numbers of the elements),
/// global_nz, elem_color and atomics. `product` has csr, csr_vector_8, cusparse, k1rs, .. with the global matrix, and
/// local with the matrices of the elements. `parts` is not timed: it says how SharedNZ would cut the nodes.
struct DegreeMeasurement {
  int degree = 1;
  Index nodes = 0, elements = 0;
  std::int64_t nonzeros = 0;
  std::string operation;  ///< assembly, product or parts
  std::string method;
  std::optional<bool> correct = {};  ///< none for `parts`
  double setup_s = 0;
  std::int64_t bytes = 0;  ///< that must move when what is gathered is read once
  Spread seconds = {};
  std::optional<Index> colors = {};
  /// For `parts`: how many elements fit with their numbers into 227 KiB, and how often an element is evaluated, in the
  /// mean, where no part has more elements than that. None where the elements of a single node do not fit.
  std::optional<Index> elements_a_part = {};
  std::optional<double> evaluations = {};
};

/// Throws DeviceError, and InputError for a mesh that is too large.
std::vector<DegreeMeasurement> measure_degree(int degree, const Mesh& linear, const DegreeOptions& options);
std::vector<DegreeMeasurement> measure_degree_on_cpu(int degree, const Mesh& linear, int repeats);
std::vector<DegreeMeasurement> measure_degree_on_gpu(int degree, const Mesh& linear, int repeats);

/// Columns without rows; see docs/benchmarks/README.md.
Table degree_table();
void add_rows(Table& table, const std::string& mesh, const std::vector<DegreeMeasurement>& measurements,
              const std::string& device);

}  // namespace cardiowarp
