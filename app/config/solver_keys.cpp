#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "app/config/linear_solver_config.hpp"
#include "app/config/sections.hpp"
#include "app/config/time_config.hpp"
#include "app/config/value_meanings.hpp"
#include "app/config/yaml_text.hpp"

namespace cardiowarp {
namespace {

const NamedValues or_auto{{"auto", "found by the program"}};

/// A multiple of 32 in [low, high]; otherwise fails with `expected`.
int read_multiple_of_32(const YamlReader& in, int low, int high, const std::string& expected) {
  const std::string text = in.text(expected);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc{} && end == text.data() + text.size();
  if (!number || value % 32 != 0 || value < low || value > high) in.fail(expected);
  return value;
}

/// The keys that `linear_solver` and `assembly` have in common. `window_is_asked_for` says whether a window was, else
/// the text of `auto` is written; null where a window is always a number.
void visit_ell_warp(KeyVisitor& keys, EllWarpOptions& options, int& block_size, bool* window_is_asked_for) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const std::string expected_size = "auto or a multiple of 32 in [32, 1024]";
  keys.special(
      {"block_size", "With ELL-WARP on a GPU: the threads of a block of a product.", "",
       "`auto` or a multiple of 32 from 32 to 1024", true},
      {.kind = KeyKind::whole_number, .range = {32, 1024}, .names = or_auto},
      [&](const YamlReader& in) {
        if (in.present())
          block_size = in.text(expected_size) == "auto" ? 0 : read_multiple_of_32(in, 32, 1024, expected_size);
      },
      [&] { return block_size == 0 ? "auto" : std::to_string(block_size); });
  keys.whole_number({"threshold", "With `k2rs`: the entries that a thread may have before its row gets more threads.",
                     "", "at least 1", true},
                    options.threshold, 1, most);
  constexpr Index widest = most - most % 32;
  const std::string expected_window =
      fmt::format("auto or a multiple of 32 in [0, {}], 0 for the whole matrix", widest);
  keys.special(
      {"sorting_window", "With ELL-WARP: how many rows are sorted by length among themselves; 0 is all.", "",
       "`auto` or a multiple of 32", true},
      {.kind = KeyKind::whole_number, .range = {0, static_cast<Real>(widest)}, .names = or_auto},
      [&](const YamlReader& in) {
        const bool asked_for = in.present() && in.text(expected_window) != "auto";
        if (asked_for) options.window = read_multiple_of_32(in, 0, widest, expected_window);
        if (window_is_asked_for) *window_is_asked_for = asked_for;
      },
      [&] { return window_is_asked_for && !*window_is_asked_for ? "auto" : std::to_string(options.window); });
}

void visit_polynomial(KeyVisitor& keys, PolynomialOptions& polynomial) {
  keys.choice({"polynomial", "The kind of a polynomial of the matrix, which is the preconditioner."}, polynomial.kind,
              polynomial_names, polynomial_meanings);
  keys.whole_number({"degree", "The degree of the polynomial, the products with the matrix in one application."},
                    polynomial.degree, 1, PolynomialOptions::highest_degree);
  keys.choice({"precision", "The precision in which the polynomial is applied."}, polynomial.precision,
              polynomial_precision_names, polynomial_precision_meanings);
}

/// A name, such as `jacobi`, or a map with the options of a polynomial.
void read_preconditioner(const YamlReader& in, LinearSolverConfig& solver, const KeyShape& shape) {
  if (in.is_map()) {
    solver.preconditioner = PreconditionerChoice::polynomial;
    read_section(in, [&](KeyVisitor& inside) { visit_polynomial(inside, solver.polynomial); });
    return;
  }
  if (!in.present()) return;
  for (const auto& [name, kind] : polynomial_names)
    if (in.is(name))
      in.fail(
          fmt::format("a polynomial with its degree, {{polynomial: {}, degree: {}}}", name, solver.polynomial.degree));
  std::vector<std::string> names;
  for (const NamedValue& value : shape.names) names.push_back(value.name);
  const std::string given = in.name(names, {}, shape.further_names);
  for (const auto& [name, choice] : preconditioner_names)
    if (name == given) solver.preconditioner = choice;
}

void visit_preconditioner(KeyVisitor& keys, LinearSolverConfig& solver) {
  std::vector<std::string> names;
  for (const auto& [name, choice] : preconditioner_names) names.push_back(name);
  KeyShape shape = shape_of_word(names, preconditioner_meanings);
  if (keys.describes())
    shape.keys = described([&](KeyVisitor& inside) { visit_polynomial(inside, solver.polynomial); });
  for (KeyDescription& of_polynomial : shape.keys) of_polynomial.is_for_papers = true;
  keys.special(
      {"preconditioner", "What makes conjugate gradients need fewer iterations."}, shape,
      [&](const YamlReader& in) { read_preconditioner(in, solver, shape); },
      [&] {
        if (solver.preconditioner != PreconditionerChoice::polynomial)
          return name_of(solver.preconditioner, preconditioner_names);
        return fmt::format("{{polynomial: {}, degree: {}, precision: {}}}",
                           name_of(solver.polynomial.kind, polynomial_names), solver.polynomial.degree,
                           name_of(solver.polynomial.precision, polynomial_precision_names));
      });
}

}  // namespace

void visit_linear_solver(KeyVisitor& keys, LinearSolverConfig& solver, const TimeConfig& time) {
  const Range tolerance{0, 1, false, false};
  // There is one method. Its name may be given and is in every checkpoint.
  keys.special(
      {"method", "Conjugate gradients.", "", "", true}, shape_of_word({"cg"}, {{"cg", "conjugate gradients"}}),
      [](const YamlReader& in) { in.name({"cg"}, "cg"); }, [] { return "cg"; });
  visit_preconditioner(keys, solver);
  keys.choice(
      {"path", "How a solve is laid out on the machine; one that is not possible is an error that says what it needs."},
      solver.path, solver_path_names, solver_path_meanings);
  keys.choice({"operator", "What conjugate gradients multiply by.", "", "", true}, solver.matrix_operator,
              operator_names, operator_meanings);
  keys.choice({"precision", "The precision of the numbers of a solve."}, solver.precision, solver_precision_names,
              solver_precision_meanings);
  keys.special(
      {"tolerance",
       "The residual, relative to the right-hand side, at which a solve ends, or the least of them with "
       "`newton.forcing: eisenstat_walker`. `auto` is 1e-10, or with a scheme of order 2 what suits the steps.",
       "`auto`"},
      {.kind = KeyKind::number, .quantity = number_or_auto, .range = tolerance, .names = or_auto},
      [&](const YamlReader& in) {
        const bool is_number = in.present() && in.text("a number or auto") != "auto";
        if (is_number) solver.tolerance = in.number(number_or_auto, tolerance);
        solver.follows_step = !is_number && time.interpolates();
      },
      [&] { return solver.follows_step ? "auto" : yaml_number(solver.tolerance); });
  keys.whole_number({"max_iterations", "The most iterations of a solve."}, solver.max_iterations, 1, 1'000'000);
  keys.choice_named({"spmv", "How the matrix is stored and multiplied."}, solver.matrix, format_name(solver.matrix),
                    named_formats(), matrix_format_meanings);
  visit_ell_warp(keys, solver.matrix.ell_warp, solver.matrix.block_size, &solver.matrix.window_is_asked_for);
}

void visit_assembly(KeyVisitor& keys, AssemblyOptions& assembly) {
  keys.choice_named({"strategy", "How the numbers of elements become those of the matrix."}, assembly,
                    strategy_name(assembly), named_strategies(), strategy_meanings);
  keys.choice({"order", "With `spmv_…`: where the sums are written.", "", "", true}, assembly.through_csr,
              assembly_order_names, assembly_order_meanings);
  visit_ell_warp(keys, assembly.ell_warp, assembly.block_size, nullptr);
  keys.truth({"repeatable",
              "Whether every run has to give the same bits. Strategies that do not are refused unless it is `false`."},
             assembly.repeatable);
}

}  // namespace cardiowarp
