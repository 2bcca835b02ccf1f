#include "app/bench/spmv_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {
namespace {

using NamedCell = std::pair<std::string, TableCell>;

/// Columns that are not named stay empty.
void add_row(Table& table, const std::vector<NamedCell>& cells) {
  std::vector<TableCell> row(table.columns.size());
  for (const auto& [name, cell] : cells)
    row.at(std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin()) = cell;
  table.rows.push_back(std::move(row));
}

/// Shortest median of the correct measurements of so many products in formats whose names begin with `prefix`.
std::optional<double> shortest_median(const std::vector<SpmvMeasurement>& measurements, int products,
                                      const std::string& prefix) {
  std::optional<double> shortest;
  for (const SpmvMeasurement& m : measurements)
    if (m.correct && m.products == products && m.format.starts_with(prefix))
      shortest = std::min(shortest.value_or(m.seconds.median), m.seconds.median);
  return shortest;
}

template <class Value>
TableCell integer_cell(const std::optional<Value>& value) {
  return value ? TableCell(std::int64_t{*value}) : TableCell();
}

TableCell real_cell(const std::optional<double>& value) { return value ? TableCell(*value) : TableCell(); }

void add_matrix(std::vector<NamedCell>& cells, const BenchMatrix& matrix) {
  const std::vector<Index> length = row_lengths(matrix.row_begin);
  const auto [shortest, longest] = std::minmax_element(length.begin(), length.end());
  cells.insert(cells.end(), {{"matrix", matrix.name},
                             {"unknowns", std::int64_t{matrix.unknowns}},
                             {"node_order", matrix.node_order.empty() ? TableCell() : TableCell(matrix.node_order)},
                             {"rows", std::int64_t{matrix.rows()}},
                             {"nonzeros", matrix.entries()},
                             {"shortest_row", std::int64_t{*shortest}},
                             {"mean_row", static_cast<double>(matrix.entries()) / matrix.rows()},
                             {"longest_row", std::int64_t{*longest}}});
}

void add_choice(std::vector<NamedCell>& cells, const SpmvMeasurement& m) {
  cells.insert(cells.end(), {{"format", m.format},
                             {"block_size", integer_cell(m.block_size)},
                             {"threshold", integer_cell(m.threshold)},
                             {"lanes", integer_cell(m.lanes)},
                             {"values_per_thread", integer_cell(m.values_per_thread)},
                             {"slice_rows", integer_cell(m.slice_rows)},
                             {"window", integer_cell(m.window)},
                             {"products", std::int64_t{m.products}},
                             {"padding", m.padding},
                             {"by_rule", m.by_rule},
                             {"correct", m.correct},
                             {"setup_s", m.setup_s},
                             {"partition_s", real_cell(m.partition_s)},
                             {"layout_s", real_cell(m.layout_s)},
                             {"bytes", m.bytes}});
}

void add_parts(std::vector<NamedCell>& cells, const SpmvMeasurement& m) {
  if (!m.parts) return;
  cells.insert(cells.end(), {{"order", name_of(m.parts->order)},
                             {"parts", std::int64_t{m.parts->parts}},
                             {"halo_rows_a_row", m.parts->halo_rows_a_row},
                             {"longest_halo", std::int64_t{m.parts->longest_halo}}});
}

void add_times(std::vector<NamedCell>& cells, const BenchMatrix& matrix, const SpmvMeasurement& m,
               const DeviceCopy& copy) {
  constexpr double paper_bytes = 20;  // an entry's value, column and x
  const double bytes_per_s = static_cast<double>(m.bytes) / m.seconds.median;
  cells.insert(cells.end(),
               {{"median_us", 1e6 * m.seconds.median},
                {"min_us", 1e6 * m.seconds.shortest},
                {"max_us", 1e6 * m.seconds.longest},
                {"gb_per_s", 1e-9 * bytes_per_s},
                {"percent_of_copy", 100 * copy.seconds_of(m.bytes) / m.seconds.median},
                {"effective_gb_per_s", 1e-9 * paper_bytes * static_cast<double>(matrix.entries()) / m.seconds.median},
                {"gflops", 2e-9 * static_cast<double>(matrix.entries()) / m.seconds.median}});
}

void add_rivals(std::vector<NamedCell>& cells, const SpmvMeasurement& m,
                const std::vector<SpmvMeasurement>& measurements) {
  const auto csr_1 = shortest_median(measurements, m.products, "cusparse_csr_1");
  const auto best = shortest_median(measurements, m.products, "cusparse_");
  if (csr_1) cells.push_back({"ratio_to_cusparse_csr_1", *csr_1 / m.seconds.median});
  if (best) cells.push_back({"ratio_to_best_cusparse", *best / m.seconds.median});
  if (!m.reordering) return;
  cells.push_back({"reorder_gpu_us", 1e6 * m.reordering->gpu});
  cells.push_back({"reorder_cpu_us", 1e6 * m.reordering->cpu});
  if (!csr_1) return;
  cells.push_back({"alpha_gpu", integer_cell(products_that_pay(m.reordering->gpu, m.seconds.median, *csr_1))});
  cells.push_back({"alpha_cpu", integer_cell(products_that_pay(m.reordering->cpu, m.seconds.median, *csr_1))});
}

}  // namespace

Table spmv_table(const DeviceCopy& copy) {
  Table table{{"matrix",
               "rows",
               "nonzeros",
               "shortest_row",
               "mean_row",
               "longest_row",
               "unknowns",
               "node_order",
               "format",
               "block_size",
               "threshold",
               "lanes",
               "values_per_thread",
               "slice_rows",
               "window",
               "order",
               "parts",
               "halo_rows_a_row",
               "longest_halo",
               "products",
               "padding",
               "by_rule",
               "correct",
               "setup_s",
               "partition_s",
               "layout_s",
               "median_us",
               "min_us",
               "max_us",
               "bytes",
               "gb_per_s",
               "percent_of_copy",
               "effective_gb_per_s",
               "gflops",
               "ratio_to_cusparse_csr_1",
               "ratio_to_best_cusparse",
               "reorder_gpu_us",
               "reorder_cpu_us",
               "alpha_gpu",
               "alpha_cpu",
               "in_l2",
               "device"},
              {}};
  add_row(table, {{"format", "copy"},
                  {"median_us", 1e6 * copy.seconds.median},
                  {"min_us", 1e6 * copy.seconds.shortest},
                  {"max_us", 1e6 * copy.seconds.longest},
                  {"bytes", copy.bytes},
                  {"gb_per_s", 1e-9 * static_cast<double>(copy.bytes) / copy.seconds.median},
                  {"percent_of_copy", 100.0},
                  {"in_l2", copy.bytes < copy.l2_bytes},
                  {"device", copy.device}});
  return table;
}

void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SpmvMeasurement>& shown,
              const std::vector<SpmvMeasurement>& measurements, const DeviceCopy& copy) {
  for (const SpmvMeasurement& m : shown) {
    std::vector<NamedCell> cells{{"in_l2", m.bytes < copy.l2_bytes}, {"device", copy.device}};
    add_matrix(cells, matrix);
    add_choice(cells, m);
    add_parts(cells, m);
    if (m.correct) {
      add_times(cells, matrix, m, copy);
      add_rivals(cells, m, measurements);
    }
    add_row(table, cells);
  }
}

Table effects_table(const std::vector<SpmvMeasurement>& measurements, int products) {
  struct Effect {
    const char *name, *without, *with;
  };
  constexpr std::array<Effect, 8> effects{{{"rows sorted", "sell", "k1"},
                                           {"coalesced", "k1_row_major", "k1"},
                                           {"rows renumbered", "k1", "k1r"},
                                           {"results not brought back", "k1r_mapped", "k1r"},
                                           {"columns sorted", "k1r", "k1rs"},
                                           {"several threads a row", "k1", "k2"},
                                           {"rows renumbered", "k2", "k2r"},
                                           {"columns sorted", "k2r", "k2rs"}}};
  const std::vector<SpmvMeasurement> best = best_of_each_format(measurements, products);
  const auto find = [&](const std::string& format) {
    return std::find_if(best.begin(), best.end(), [&](const auto& m) { return m.format == format && m.correct; });
  };
  Table table{{"effect", "without", "with", "without_us", "with_us", "times_as_fast", "time_difference_percent",
               "padding_difference_percent"},
              {}};
  for (const Effect& effect : effects) {
    const auto without = find(effect.without), with = find(effect.with);
    if (without == best.end() || with == best.end()) continue;
    const double before = without->seconds.median, after = with->seconds.median;
    table.rows.push_back({effect.name, effect.without, effect.with, 1e6 * before, 1e6 * after, before / after,
                          100 * (before - after) / before,
                          100 * (without->padding - with->padding) / without->padding});
  }
  return table;
}

Table row_lengths_table() { return {{"matrix", "unknowns", "rows", "row_length", "rows_of_this_length"}, {}}; }

void add_row_lengths(Table& table, const BenchMatrix& matrix) {
  std::map<Index, std::int64_t> rows_of;
  for (const Index length : row_lengths(matrix.row_begin)) ++rows_of[length];
  for (const auto& [length, rows] : rows_of)
    table.rows.push_back(
        {matrix.name, std::int64_t{matrix.unknowns}, std::int64_t{matrix.rows()}, std::int64_t{length}, rows});
}

std::optional<std::int64_t> products_that_pay(double reordering_s, double seconds, double rival_s) {
  if (seconds >= rival_s) return std::nullopt;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(reordering_s / (rival_s - seconds))));
}

}  // namespace cardiowarp
