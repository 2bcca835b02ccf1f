// usage: rule_terms TUNING.csv [--surface FILE] [MATRIX...]
//
// Puts beside each measured time of TUNING.csv (matrix,format,block_size,threshold,median_us) what the cost model of
// choose_ell_warp() counts for that choice, as CSV on standard output: a column a term, empty where the rule does not
// consider the choice, and by_rule, which is yes for what the rule takes. Lines `# weight of TERM: W` before the table
// have the built-in weights; a line `# left out` names the matrices that cannot be made here.
//
// Without MATRIX all of the file are taken. A stand-in is made from its name, bX is `mesh biventricle --edge Xmm`. All
// others are hearts inside the surface FILE: hX is `mesh fill FILE --edge Xmm`, human34k is h2.8, and human222k is
// human34k refined once. docs/benchmarks/fit_rule.py reads the output.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/bench/stand_in.hpp"
#include "kernels/sparse/ell_warp_choice.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

using Choice = std::array<std::string, 3>;  ///< format, block size, threshold, which is empty but for K2rs

/// A line of the file.
struct Measured {
  std::string line;
  Choice choice;
};

struct Tuning {
  std::string comments, columns;
  std::vector<std::string> matrices;  ///< in the order of the file
  std::map<std::string, std::vector<Measured>> of_matrix;
};

Tuning read_tuning(const std::string& path) {
  Tuning tuning;
  std::ifstream file(path);
  while (std::getline(file, tuning.columns) && tuning.columns.rfind("# ", 0) == 0)
    tuning.comments += tuning.columns + '\n';
  if (tuning.columns != "matrix,format,block_size,threshold,median_us")
    throw std::runtime_error(path + ": expected the columns matrix,format,block_size,threshold,median_us");
  for (std::string line; std::getline(file, line);) {
    std::stringstream words(line);
    std::string matrix;
    Choice choice;
    std::getline(words, matrix, ',');
    for (std::string& word : choice) std::getline(words, word, ',');
    if (!tuning.of_matrix.contains(matrix)) tuning.matrices.push_back(matrix);
    tuning.of_matrix[matrix].push_back({line, choice});
  }
  return tuning;
}

/// The lengths of the rows, or none where the matrix cannot be made without a surface.
std::vector<Index> lengths_of(const std::string& matrix, const std::string& surface) {
  const auto& classes = table_ii_classes();
  const auto is_its_class = [&](const MatrixClass& c) { return c.name == matrix.substr(0, matrix.find(':')); };
  if (std::any_of(classes.begin(), classes.end(), is_its_class)) {
    const StandIn one = parse_stand_ins({matrix}).front();
    return stand_in_lengths(one.matrix_class, one.seed);
  }
  const auto of_mesh = [&](const Mesh& mesh) { return row_lengths(mesh_matrix(matrix, mesh).row_begin); };
  if (matrix[0] == 'b') return of_mesh(biventricle_mesh(std::stod(matrix.substr(1))));
  if (surface.empty()) return {};
  if (matrix == "human34k") return of_mesh(fill_surface(surface, 2.8));
  if (matrix == "human222k") return of_mesh(refine_mesh(fill_surface(surface, 2.8), 1));
  return of_mesh(fill_surface(surface, std::stod(matrix.substr(1))));
}

Choice words_of(const EllWarpChoice& choice) {
  const bool k1 = choice.options.variant == EllWarpVariant::k1;
  return {ell_warp_name(choice.options), std::to_string(choice.block_size),
          k1 ? "" : std::to_string(choice.options.threshold)};
}

void print_terms(const Tuning& tuning, const std::vector<std::string>& matrices, const std::string& surface) {
  struct Counted {
    Choice by_rule;
    std::map<Choice, std::vector<CostTerm>> terms;
  };
  std::map<std::string, Counted> counted;
  std::vector<CostTerm> columns;  // of both models, in the cache and beyond
  std::string left_out;
  for (const std::string& matrix : matrices) {
    const std::vector<Index> lengths = lengths_of(matrix, surface);
    if (lengths.empty()) {
      left_out += ' ' + matrix;
      continue;
    }
    Counted& of_this = counted[matrix];
    of_this.by_rule = words_of(choose_ell_warp(lengths, 1024, nvidia_h200()));
    for (const EllWarpCost& cost : ell_warp_costs(lengths, 1024, nvidia_h200()))
      of_this.terms[words_of(cost.choice)] = cost.terms;
    for (const CostTerm& term : of_this.terms.begin()->second)
      if (std::none_of(columns.begin(), columns.end(), [&](const CostTerm& c) { return c.name == term.name; }))
        columns.push_back(term);
  }

  fmt::print("{}", tuning.comments);
  for (const CostTerm& column : columns) fmt::print("# weight of {}: {}\n", column.name, column.weight);
  if (!left_out.empty()) fmt::print("# left out:{}\n", left_out);
  fmt::print("{},by_rule", tuning.columns);
  for (const CostTerm& column : columns) fmt::print(",{}", column.name);
  fmt::print("\n");
  for (const std::string& matrix : matrices) {
    const auto found = counted.find(matrix);
    if (found == counted.end()) continue;
    for (const Measured& one : tuning.of_matrix.at(matrix)) {
      fmt::print("{},{}", one.line, one.choice == found->second.by_rule ? "yes" : "no");
      const std::vector<CostTerm>& terms = found->second.terms[one.choice];  // none of what the rule does not consider
      for (const CostTerm& column : columns) {
        const auto is_it = [&](const CostTerm& term) { return term.name == column.name; };
        const auto term = std::find_if(terms.begin(), terms.end(), is_it);
        fmt::print(",{}", term == terms.end() ? "" : fmt::to_string(term->amount));
      }
      fmt::print("\n");
    }
  }
}

}  // namespace
}  // namespace cardiowarp

int main(int count, char** words) {
  std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.empty()) {
    std::fputs("usage: rule_terms TUNING.csv [--surface FILE] [MATRIX...]\n", stderr);
    return 2;
  }
  try {
    const cardiowarp::Tuning tuning = cardiowarp::read_tuning(arguments[0]);
    std::vector<std::string> matrices(arguments.begin() + 1, arguments.end());
    std::string surface;
    if (matrices.size() > 1 && matrices[0] == "--surface") {
      surface = matrices[1];
      matrices.erase(matrices.begin(), matrices.begin() + 2);
    }
    for (const std::string& matrix : matrices)
      if (!tuning.of_matrix.contains(matrix)) throw std::runtime_error("no times of the matrix " + matrix);
    cardiowarp::print_terms(tuning, matrices.empty() ? tuning.matrices : matrices, surface);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rule_terms: %s\n", error.what());
    return 1;
  }
  return 0;
}
