#include "app/compare/comparison_report.hpp"

#include <fmt/format.h>

#include "app/measure/spread.hpp"

namespace cardiowarp {
namespace {

TableCell phase_cell(const std::optional<Spread>& s) {
  if (!s) return {};
  return fmt::format("{:.4g} ({:.4g} to {:.4g})", s->median, s->shortest, s->longest);
}

/// Empty for 0 bytes.
TableCell mib_cell(std::size_t bytes) {
  return bytes > 0 ? TableCell(static_cast<double>(bytes) / (1 << 20)) : TableCell();
}

std::string memory_text(const SideReport& side) {
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  if (side.bus_bytes > 0) return fmt::format("{:.4g} MiB over the bus", mib(static_cast<std::size_t>(side.bus_bytes)));
  if (side.resident_bytes > 0) return fmt::format("{:.4g} MiB resident", mib(side.resident_bytes));
  return fmt::format("{:.4g} MiB", mib(side.memory_bytes));
}

const std::vector<std::string> columns_of_comparison{"configuration",
                                                     "nodes",
                                                     "elements",
                                                     "steps",
                                                     "simulated_ms",
                                                     "side",
                                                     "device",
                                                     "spmv",
                                                     "assembly",
                                                     "phase",
                                                     "repeats",
                                                     "median_s",
                                                     "min_s",
                                                     "max_s",
                                                     "speed_up",
                                                     "stepping_s",
                                                     "newton_iterations",
                                                     "cg_iterations",
                                                     "memory_mib",
                                                     "resident_mib",
                                                     "bus_mib",
                                                     "frames",
                                                     "potential_max_mv",
                                                     "potential_rms_mv",
                                                     "activation_max_ms",
                                                     "activation_rms_ms",
                                                     "agrees"};

/// A phase of a side.
std::vector<TableCell> row_of(const Comparison& comparison, const SideReport& side, const Phase& phase) {
  const bool agrees = side.agrees(comparison.max_difference);
  const std::optional<Spread> s = side.of_phase(phase);
  const auto seconds_cell = [&](double Spread::*which) { return s ? TableCell((*s).*which) : TableCell(); };
  const std::optional<double> ratio = comparison.speed_up(side, phase);
  return {comparison.name,
          comparison.nodes,
          comparison.elements,
          comparison.steps,
          comparison.simulated_ms,
          side.name,
          side.device,
          side.format,
          side.assembly,
          phase.name,
          static_cast<std::int64_t>(side.seconds.size()),
          seconds_cell(&Spread::median),
          seconds_cell(&Spread::shortest),
          seconds_cell(&Spread::longest),
          ratio ? TableCell(*ratio) : TableCell(),
          side.stepping.empty() ? TableCell() : TableCell(spread_of(side.stepping).median),
          std::int64_t{side.newton_iterations},
          std::int64_t{side.linear_iterations},
          mib_cell(side.memory_bytes),
          mib_cell(side.resident_bytes),
          mib_cell(static_cast<std::size_t>(side.bus_bytes)),
          side.frames,
          side.potential.largest(),
          side.potential.rms(),
          side.activation.largest(),
          side.activation.rms(),
          agrees};
}

}  // namespace

Table comparison_table(const Comparison& comparison) {
  Table table{columns_of_comparison, {}};
  for (const SideReport& side : comparison.sides)
    for (const Phase& phase : phases) table.rows.push_back(row_of(comparison, side, phase));
  return table;
}

std::string comparison_text(const Comparison& comparison) {
  const SideReport& reference = comparison.sides.front();
  Table table{{"seconds"}, {}};
  for (const SideReport& side : comparison.sides) {
    table.columns.push_back(fmt::format("{} ({})", side.name, side.device));
    if (&side != &reference && side.agrees(comparison.max_difference))
      table.columns.push_back(fmt::format("{} against {}", side.name, reference.name));
  }
  const auto add_row = [&](const std::string& name, const auto& of_side, const auto& against) {
    table.rows.push_back({name});
    for (const SideReport& side : comparison.sides) {
      table.rows.back().push_back(of_side(side));
      if (&side != &reference && side.agrees(comparison.max_difference)) table.rows.back().push_back(against(side));
    }
  };
  const auto nothing = [](const SideReport&) { return TableCell(); };
  for (const Phase& phase : phases)
    add_row(
        phase.name, [&](const SideReport& side) { return phase_cell(side.of_phase(phase)); },
        [&](const SideReport& side) {
          const auto ratio = comparison.speed_up(side, phase);
          return ratio ? TableCell(fmt::format("{:.3g} ×", *ratio)) : TableCell();
        });
  add_row(
      "Newton iterations", [](const SideReport& side) { return fmt::format("{}", side.newton_iterations); }, nothing);
  add_row(
      "CG iterations", [](const SideReport& side) { return fmt::format("{}", side.linear_iterations); }, nothing);
  add_row("memory", memory_text, nothing);

  std::string text =
      fmt::format("{}: {} nodes, {} tetrahedra, {} steps to {:.6g} ms; median of {} (shortest to longest)\n\n{}\n",
                  comparison.name, comparison.nodes, comparison.elements, comparison.steps, comparison.simulated_ms,
                  reference.seconds.size(), aligned_text(table));
  for (const SideReport& side : comparison.sides) {
    if (&side == &reference) continue;
    text += fmt::format(
        "{} and {} differ by at most {:.3g} mV (RMS {:.3g}) over {} and {:.3g} ms (RMS {:.3g}) of activation time\n",
        side.name, reference.name, side.potential.largest(), side.potential.rms(),
        side.frames == 1 ? "the last frame" : fmt::format("{} frames", side.frames), side.activation.largest(),
        side.activation.rms());
  }
  for (const SideReport& side : comparison.sides)
    if (!side.agrees(comparison.max_difference))
      text += fmt::format(
          "{}: no speed-up is stated: its fields differ from those of {} by more than {:.3g} mV or ms "
          "(--max-difference)\n",
          side.name, reference.name, comparison.max_difference);
  for (const SideReport& side : comparison.sides)
    if (!side.has_output)
      text += fmt::format("{} writes no output: its total is held against that of {} without output\n", side.name,
                          reference.name);
  if (!comparison.without_gpu.empty()) text += fmt::format("no GPU: {}\n", comparison.without_gpu);
  return text;
}

}  // namespace cardiowarp
