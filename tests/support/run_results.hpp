#pragma once
#include <array>
#include <cmath>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/result_files.hpp"

namespace cardiowarp::test {

/// `probes.csv`: a row is a time and a potential for each probe.
struct ProbeTable {
  std::string header;
  std::vector<std::vector<Real>> rows;
};

inline ProbeTable read_probes(const std::filesystem::path& file) {
  std::istringstream lines(read_text(file));
  ProbeTable table;
  std::getline(lines, table.header);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    table.rows.emplace_back();
    for (std::string word; std::getline(words, word, ',');) table.rows.back().push_back(std::stod(word));
  }
  return table;
}

/// The node of a .vtu file at a point; −1 where there is none.
inline vtkIdType node_at(const std::filesystem::path& file, const std::array<Real, 3>& point) {
  const auto grid = read_vtu(file);
  for (vtkIdType node = 0; node < grid->GetNumberOfPoints(); ++node) {
    const double* at = grid->GetPoint(node);
    if (std::hypot(at[0] - point[0], at[1] - point[1], at[2] - point[2]) < 1e-4) return node;
  }
  return -1;
}

/// What a message says of a step that failed.
struct FailedStep {
  int step = -1;
  Real time_ms = -1;
  vtkIdType node = -1;
  std::array<Real, 3> at{};
  Real potential_mv = 0;
};

/// The failed step that the first such message in `text` names; a step of −1 where there is none.
inline FailedStep failed_step(const std::string& text) {
  const std::string number = "([-+0-9.e]+)";
  const std::regex sentence("step ([0-9]+) \\(t = " + number + " ms\\)[^\n]*node ([0-9]+) \\(" + number + ", " +
                            number + ", " + number + "\\) mm with " + number + " mV");
  std::smatch found;
  if (!std::regex_search(text, found, sentence)) return {};
  return {std::stoi(found[1]),
          std::stod(found[2]),
          std::stoll(found[3]),
          {std::stod(found[4]), std::stod(found[5]), std::stod(found[6])},
          std::stod(found[7])};
}

}  // namespace cardiowarp::test
