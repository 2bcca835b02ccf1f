#include "app/bench/assembly_bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/simulation/choose_assembly.hpp"
#include "assembly/options.hpp"
#include "assembly/reaction_elements.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {

const std::vector<std::string>& assembly_bench_strategies() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"diagonal",
                                 "entry_gather",
                                 "slice_gather",
                                 "shared_nz",
                                 "shared_nz_general",
                                 "shared_nz_general_metis",
                                 "global_nz_general",
                                 "global_nz_prefetched_general",
                                 "global_nz_prefetched_general_metis",
                                 "global_nz_nodal_general",
                                 "global_nz_packed_general"};
    for (const char* kind : {"", "_general"})
      for (const char* name : {"local_row", "local_nz", "elem_color", "two_level_color", "atomics", "lazy_ell"})
        all.push_back(std::string(name) + kind);
    for (const char* name : {"elem_color_split_2_general", "elem_color_split_4_general"}) all.emplace_back(name);
    for (const auto& [name, options] : named_strategies()) {
      if (options.strategy != AssemblyStrategy::spmv) continue;
      all.push_back(name);
      if (options.ell_warp.renumbering == EllWarpRenumbering::none) all.push_back(name + "_joint");
    }
    for (const char* name : {"spmv_csr_vector_2", "spmv_csr_vector_4", "spmv_csr_vector_8", "spmv_csr_vector_16",
                             "spmv_csr_vector_32", "spmv_merge", "spmv_cusparse"})
      all.emplace_back(name);
    return all;
  }();
  return names;
}

namespace {

/// The strategies that are measured where none is asked for.
const std::vector<std::string>& usual_bench_strategies() {
  static const std::vector<std::string> names{"entry_gather", "slice_gather", "shared_nz"};
  return names;
}

}  // namespace

bool is_measured(const AssemblyBenchOptions& options, const std::string& strategy) {
  if (strategy.starts_with("shared_nz_") && strategy.find('x') != std::string::npos)  // one of its shapes
    return is_measured(options, strategy.starts_with("shared_nz_general") ? "shared_nz_general" : "shared_nz");
  const std::vector<std::string>& asked_for = options.strategies;
  const auto has = [&](const std::string& name) {
    return std::find(asked_for.begin(), asked_for.end(), name) != asked_for.end();
  };
  const auto& usual = usual_bench_strategies();
  return asked_for.empty() ? std::find(usual.begin(), usual.end(), strategy) != usual.end()
                           : has(strategy) || has("all");
}

std::string missing_in_ell(const std::string& strategy) {
  for (const char* more_than_places : {"diagonal", "slice_gather", "spmv_"})
    if (strategy.starts_with(more_than_places)) return "it needs a format of a run, got 'ell'";
  if (strategy == "shared_nz" || (strategy.starts_with("shared_nz_") && !strategy.starts_with("shared_nz_general")))
    return "it needs compressed rows or slices, got 'ell'";
  return "";
}

void require_valid(const AssemblyBenchOptions& options) {
  std::vector<std::string> names = assembly_bench_strategies();
  names.emplace_back("all");
  for (const std::string& strategy : options.strategies)
    if (std::find(names.begin(), names.end(), strategy) == names.end())
      throw InputError(fmt::format("--strategy: unknown strategy '{}'; expected {}{}", strategy, fmt::join(names, ", "),
                                   suggestion(strategy, names)));
  if (options.order == BenchOrder::metis)
    throw InputError("--order: expected hilbert, mesh, rcm or metis_nodes, got 'metis'");
  for (const int size : options.block_sizes)
    if (size < 32 || size > 1024 || size % 32 != 0)
      throw InputError(fmt::format("--block-size: expected multiples of 32 from 32 to 1024, got {}", size));
  std::vector<std::string> formats;
  for (const auto& [name, format] : named_formats()) formats.push_back(name);
  formats.emplace_back("ell");
  if (std::find(formats.begin(), formats.end(), options.format) == formats.end())
    throw InputError(fmt::format("--format: unknown format '{}'; expected {}{}", options.format,
                                 fmt::join(formats, ", "), suggestion(options.format, formats)));
}

void require_suits_quadratic_mesh(const std::string& mesh, const AssemblyBenchOptions& options) {
  const auto refuse = [&](const char* option, const std::string& expected, const std::string& got) {
    throw InputError(
        fmt::format("{}: {}: expected {} for a mesh of quadratic tetrahedra, got '{}'", mesh, option, expected, got));
  };
  if (options.order != BenchOrder::hilbert) refuse("--order", "hilbert", name_of(options.order));
  if (options.format == "ell") refuse("--format", "a format of a run", options.format);
}

std::vector<std::pair<std::string, AssemblyOptions>> quadratic_bench_strategies() {
  std::vector<std::pair<std::string, AssemblyOptions>> suitable;
  const auto of_runs = named_strategies();
  for (const std::string& name : assembly_bench_strategies()) {
    const auto named = std::ranges::find(of_runs, name, &decltype(of_runs)::value_type::first);
    if (named == of_runs.end() || !suits_quadratic_elements(named->second.strategy)) continue;
    suitable.push_back(*named);
    suitable.back().second.repeatable = false;  // every strategy is measured
  }
  return suitable;
}

std::vector<LeftOut> left_out_of_quadratic_mesh(const AssemblyBenchOptions& options) {
  const auto suitable = quadratic_bench_strategies();
  std::vector<LeftOut> left_out;
  for (const std::string& name : options.strategies)
    if (name != "all" && std::ranges::find(suitable, name, &decltype(suitable)::value_type::first) == suitable.end())
      left_out.push_back({name, "a run on quadratic tetrahedra does not have it"});
  return left_out;
}

std::int64_t element_bytes(Index nodes, Index elements) {
  return ReactionElements<AlievPanfilov>::bytes_an_element * elements + std::int64_t{2 * sizeof(Real)} * nodes;
}

std::int64_t diagonal_bytes(const SimulationPlan& plan) {
  const std::int64_t nodes = plan.sparsity.rows(), points = plan.vertices->points.points();
  constexpr std::int64_t of_point = sizeof(Real) + sizeof(std::uint16_t) + sizeof(Real) * 2 * AlievPanfilov::states,
                         of_node = 2 * sizeof(Index) + 4 * sizeof(Real), of_slot = sizeof(Real) + sizeof(Index),
                         of_product = 2 * sizeof(Real), of_kept_product = 3 * sizeof(Real);
  const bool keeps_product = plan.matrix.options.format != MatrixFormat::ell_warp;
  return points * of_point + plan.matrix.slots * of_slot +
         nodes * (of_node + of_product + (keeps_product ? of_kept_product : 0));
}

Table assembly_table() {
  return {{"mesh",
           "nodes",
           "elements",
           "nonzeros",
           "format",
           "node_order",
           "strategy",
           "block_size",
           "correct",
           "setup_s",
           "elements_us",
           "dummy_us",
           "elements_over_dummy",
           "assembly_us",
           "median_us",
           "min_us",
           "max_us",
           "giga_elements_per_s",
           "ns_an_element",
           "padding",
           "element_bytes",
           "assembly_bytes",
           "gb_per_s",
           "percent_of_copy",
           "in_l2",
           "device"},
          {}};
}

void add_rows(Table& table, const AssemblyReport& report, const DeviceCopy& copy) {
  for (const AssemblyMeasurement& m : report.measurements) {
    std::vector<TableCell> row{report.mesh,
                               std::int64_t{report.nodes},
                               std::int64_t{report.elements},
                               report.nonzeros,
                               report.format,
                               name_of(report.order),
                               m.strategy,
                               m.block_size ? TableCell(std::int64_t{*m.block_size}) : TableCell(),
                               m.correct,
                               m.setup_s};
    const auto cell_of = [](const auto& value) { return value ? TableCell(*value) : TableCell(); };
    const TableCell padding = cell_of(m.padding);
    const std::optional<std::int64_t> bytes =
        m.element_bytes && m.assembly_bytes ? std::optional(*m.element_bytes + *m.assembly_bytes) : std::nullopt;
    if (m.correct) {
      const double seconds = m.together.median;
      row.insert(row.end(),
                 {1e6 * m.elements.median, m.dummy ? TableCell(1e6 * m.dummy->median) : TableCell(),
                  m.dummy ? TableCell(m.elements.median / m.dummy->median) : TableCell(), 1e6 * m.assembly.median,
                  1e6 * seconds, 1e6 * m.together.shortest, 1e6 * m.together.longest, 1e-9 * report.elements / seconds,
                  1e9 * seconds / report.elements, padding, cell_of(m.element_bytes), cell_of(m.assembly_bytes),
                  bytes ? TableCell(1e-9 * static_cast<double>(*bytes) / seconds) : TableCell(),
                  bytes ? TableCell(100 * copy.seconds_of(*bytes) / seconds) : TableCell()});
    } else {
      row.insert(row.end(), 9, TableCell());
      row.insert(row.end(), {padding, cell_of(m.element_bytes), cell_of(m.assembly_bytes), TableCell(), TableCell()});
    }
    row.insert(row.end(), {bytes ? TableCell(*bytes < copy.l2_bytes) : TableCell(), copy.device});
    table.rows.push_back(std::move(row));
  }
}

}  // namespace cardiowarp
