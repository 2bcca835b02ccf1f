#include "app/bench/degree_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fem/input_error.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {

void require_valid(const DegreeOptions& options) {
  constexpr int fewest = 64, most = 20'000'000;
  for (const int nodes : options.nodes)
    if (nodes < fewest || nodes > most)
      throw InputError(fmt::format("--nodes: expected {} to {} nodes of a box, got {}", fewest, most, nodes));
  for (const int degree : options.degrees)
    if (degree < 1 || degree > 3) throw InputError(fmt::format("--degree: expected 1, 2 or 3, got {}", degree));
}

Mesh box_for_degree(int degree, int nodes) {
  const Real cells = std::max(1.0, std::round((std::cbrt(static_cast<Real>(nodes)) - 1) / degree));
  return slab_mesh({cells, cells, cells}, 1, true);
}

std::vector<DegreeMeasurement> measure_degree(int degree, const Mesh& linear, const DegreeOptions& options) {
  return options.on_cpu ? measure_degree_on_cpu(degree, linear, options.repeats)
                        : measure_degree_on_gpu(degree, linear, options.repeats);
}

Table degree_table() {
  return {{"mesh",    "degree",   "nodes",     "elements",        "nonzeros",    "operation", "method",
           "correct", "setup_s",  "median_us", "min_us",          "max_us",      "ns_a_node", "ns_an_element",
           "bytes",   "gb_per_s", "colors",    "elements_a_part", "evaluations", "device"},
          {}};
}

void add_rows(Table& table, const std::string& mesh, const std::vector<DegreeMeasurement>& measurements,
              const std::string& device) {
  for (const DegreeMeasurement& m : measurements) {
    std::vector<TableCell> row{
        mesh,    std::int64_t{m.degree}, std::int64_t{m.nodes}, std::int64_t{m.elements}, m.nonzeros, m.operation,
        m.method};
    if (m.correct)
      row.insert(row.end(), {*m.correct, m.setup_s});
    else
      row.insert(row.end(), 2, TableCell());
    if (m.correct.value_or(false))
      row.insert(row.end(), {1e6 * m.seconds.median, 1e6 * m.seconds.shortest, 1e6 * m.seconds.longest,
                             1e9 * m.seconds.median / m.nodes, 1e9 * m.seconds.median / m.elements, m.bytes,
                             1e-9 * static_cast<double>(m.bytes) / m.seconds.median});
    else
      row.insert(row.end(), 7, TableCell());
    const auto count = [](const std::optional<Index>& value) {
      return value ? TableCell(std::int64_t{*value}) : TableCell();
    };
    row.insert(row.end(), {count(m.colors), count(m.elements_a_part),
                           m.evaluations ? TableCell(*m.evaluations) : TableCell(), device});
    table.rows.push_back(std::move(row));
  }
}

}  // namespace cardiowarp
