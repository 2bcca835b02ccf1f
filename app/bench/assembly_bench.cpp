#include "app/bench/assembly_bench.hpp"

#include "assembly/reaction_elements.hpp"
#include "fem/cells/aliev_panfilov.hpp"

namespace cardiowarp {

std::int64_t element_bytes(Index nodes, Index elements) {
  return ReactionElements<AlievPanfilov>::bytes_an_element * elements + std::int64_t{2 * sizeof(Real)} * nodes;
}

Table assembly_table() {
  return {
      {"mesh",          "nodes",          "elements",    "nonzeros",        "format", "strategy", "correct",
       "setup_s",       "elements_us",    "assembly_us", "median_us",       "min_us", "max_us",   "giga_elements_per_s",
       "element_bytes", "assembly_bytes", "gb_per_s",    "percent_of_copy", "in_l2",  "device"},
      {}};
}

void add_rows(Table& table, const AssemblyReport& report, const DeviceCopy& copy) {
  for (const AssemblyMeasurement& m : report.measurements) {
    std::vector<TableCell> row{report.mesh,
                               std::int64_t{report.nodes},
                               std::int64_t{report.elements},
                               report.nonzeros,
                               report.format,
                               m.strategy,
                               m.correct,
                               m.setup_s};
    const std::int64_t bytes = m.element_bytes + m.assembly_bytes;
    if (m.correct) {
      const double seconds = m.together.median;
      row.insert(row.end(),
                 {1e6 * m.elements.median, 1e6 * m.assembly.median, 1e6 * seconds, 1e6 * m.together.shortest,
                  1e6 * m.together.longest, 1e-9 * report.elements / seconds, m.element_bytes, m.assembly_bytes,
                  1e-9 * static_cast<double>(bytes) / seconds, 100 * copy.seconds_of(bytes) / seconds});
    } else {
      row.insert(row.end(), 6, TableCell());
      row.insert(row.end(), {m.element_bytes, m.assembly_bytes, TableCell(), TableCell()});
    }
    row.insert(row.end(), {bytes < copy.l2_bytes, copy.device});
    table.rows.push_back(std::move(row));
  }
}

}  // namespace cardiowarp
