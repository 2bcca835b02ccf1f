#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/bench/spmv.hpp"
#include "app/measure/spread.hpp"
#include "app/measure/table.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/options.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// `cardiowarp bench assembly` measures how long the GPU takes from the state of the cells to the linear system K, −R
// and 1 / K_II. run_bench() calls measure_assembly() for each mesh and adds the report to the table. Each strategy is
// first held against the assembly of the CPU; one that is wrong is not timed. The loop over the elements and the sums
// over the rows are timed apart and together, beside the bytes that they must move, and where an element is a loop of
// its own beside a loop that moves the same bytes and computes nothing (dummy_elements.hpp).

/// Why `--format ell` leaves out a strategy, in words for the user; empty where the strategy is measured.
std::string missing_in_ell(const std::string& strategy);

/// The names of all strategies that can be measured, in the order of the table: first the gathers, then the sums by
/// products with ELL-WARP, then those by other products, then the strategies of papers 003 and 004.
const std::vector<std::string>& assembly_bench_strategies();

/// Whether the options ask for a strategy.
bool is_measured(const AssemblyBenchOptions& options, const std::string& strategy);

/// Throws InputError with the name of the option and what is expected.
void require_valid(const AssemblyBenchOptions& options);

/// Throws InputError, with the name of the quadratic mesh, where the options ask for what only linear meshes have: an
/// order other than Hilbert's, or the format `ell`.
void require_suits_quadratic_mesh(const std::string& mesh, const AssemblyBenchOptions& options);

/// The strategies that a run on a quadratic mesh has, by their names here.
std::vector<std::pair<std::string, AssemblyOptions>> quadratic_bench_strategies();

/// The strategies that the options name and that a quadratic mesh does not have, each with the reason.
std::vector<LeftOut> left_out_of_quadratic_mesh(const AssemblyBenchOptions& options);

/// The bytes that the loop over the elements must move where φ and the load are read once.
std::int64_t element_bytes(Index nodes, Index elements);

/// The bytes that the strategy `diagonal` must move in its one launch, for the plan of a run with `quadrature:
/// vertices`.
std::int64_t diagonal_bytes(const SimulationPlan& plan);

/// The measurements of one strategy. Those whose names begin with spmv_ write the numbers of elements as the values of
/// matrices and sum them by products with ones (paper 000 sec. 4): with ELL-WARP (spmv_k1, ..), with ELL-WARP and one
/// product for K and R together (spmv_k1_joint, ..), or with compressed rows (spmv_csr_vector_4, spmv_merge,
/// spmv_cusparse). Seconds are of one call on the device, where many calls are one graph.
struct AssemblyMeasurement {
  std::string strategy;                ///< entry_gather, slice_gather, spmv_k1, ..
  std::optional<int> block_size = {};  ///< the most threads of a block of any loop; none: what each loop asks for
  bool correct = false;                ///< K, −R and 1 / K_II are the CPU's up to 1e-11 of their largest
  /// Wall clock, from mesh and sparsity in host memory to an assembly on the device. For a quadratic mesh the rest of a
  /// run's plan is in it.
  double setup_s = 0;
  std::optional<std::int64_t> element_bytes = {}, assembly_bytes = {};  ///< as in MadeStrategy (strategies.cuh)
  Spread elements, assembly, together;                                  ///< the element loop, the sums, both
  std::optional<Spread> dummy = {};    ///< a loop that fetches and stores what the elements do
  std::optional<double> padding = {};  ///< stored places of contributions over contributions, of global_nz_..
};

struct AssemblyReport {
  std::string mesh;
  Index nodes = 0, elements = 0;
  std::int64_t nonzeros = 0;
  std::string format;  ///< of K
  BenchOrder order;    ///< of the nodes
  std::vector<AssemblyMeasurement> measurements;
  std::vector<LeftOut> left_out = {};
};

/// Times the assemblies of a checked mesh on the first device, in the format that a run would choose: one cell model, a
/// random state, and a potential that changes from call to call by a hundredth, as between two Newton iterations. A
/// strategy that does not suit the mesh is not among them; one that does not fit, or whose library is missing, is left
/// out. A quadratic mesh has the strategies of quadratic_bench_strategies(). Throws DeviceError, and InputError where
/// the options ask for an order or a format that a quadratic mesh does not have here.
AssemblyReport measure_assembly(const std::string& name, const Mesh& mesh, const AssemblyBenchOptions& options);

/// Columns without rows; see docs/benchmarks/README.md.
Table assembly_table();
void add_rows(Table& table, const AssemblyReport& report, const DeviceCopy& copy);

}  // namespace cardiowarp
