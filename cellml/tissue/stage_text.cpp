#include "cellml/tissue/stage_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "cellml/term_tape.hpp"
#include "cellml/tissue/stage_terms.hpp"
#include "cellml/tissue/term_text.hpp"

namespace cardiowarp {
namespace {

/// When in a stage a term is computed: what depends on parameters that all cells share is a number of
/// stage_constants, what depends on further parameters alone one of `of_cell`.
enum class When : char { never, shared, of_cell, before_pools, with_pools };

std::string numbered(const char* name, std::size_t number) { return name + std::to_string(number); }

/// The number of each parameter that is not the same in all cells.
std::vector<int> varying_parameters(std::span<const std::vector<double>> cells) {
  std::vector<int> numbers;
  for (std::size_t k = 0; k < cells.front().size(); ++k)
    if (std::ranges::any_of(cells, [&](const auto& cell) { return cell[k] != cells.front()[k]; }))
      numbers.push_back(static_cast<int>(k));
  return numbers;
}

/// The terms of a stage, and when each is computed.
class StageSchedule {
 public:
  StageSchedule(const CellMlModel& model, std::span<const std::vector<double>> cells)
      : terms(stage_terms(model)), varying(varying_parameters(cells)), when(all().size(), When::never) {
    const std::vector<char> needed = needed_terms(terms.graph, outputs()), with_pools = dependent(When::with_pools),
                            moving = dependent(When::before_pools), of_cell = dependent(When::of_cell);
    for (std::size_t k = 0; k < when.size(); ++k)
      if (needed[k] != 0)
        when[k] = with_pools[k] != 0 ? When::with_pools
                  : moving[k] != 0   ? When::before_pools
                  : of_cell[k] != 0  ? When::of_cell
                                     : When::shared;
    for (std::size_t k = 0; k < when.size(); ++k)
      if (when[k] >= When::before_pools && !is_leaf(all()[k].operation))
        for (const TermIndex argument : {all()[k].a, all()[k].b, all()[k].c}) keep(argument);
    for (const TermIndex output : outputs()) keep(output);
    for (std::vector<TermIndex>* kept : {&shared, &of_each}) {
      std::ranges::sort(*kept);
      kept->erase(std::ranges::unique(*kept).begin(), kept->end());
    }
  }

  /// The terms that `roots` need and that are computed at this time, in the order in which they are needed, without
  /// those that are `done`, which these are from here on: a number is computed shortly before it is used.
  std::vector<TermIndex> in_order(std::span<const TermIndex> roots, When at, std::vector<char>& done) const {
    const auto is_open = [&](TermIndex term) {
      const auto k = static_cast<std::size_t>(term);
      return term >= 0 && done[k] == 0 && when[k] == at && !is_leaf(all()[k].operation);
    };
    std::vector<TermIndex> found, open(roots.rbegin(), roots.rend());
    while (!open.empty()) {
      const TermIndex term = open.back();
      const std::size_t before = open.size();
      if (is_open(term)) {
        const Term& of = all()[static_cast<std::size_t>(term)];
        for (const TermIndex argument : {of.c, of.b, of.a})
          if (is_open(argument)) open.push_back(argument);
        if (open.size() > before) continue;
        done[static_cast<std::size_t>(term)] = 1;
        found.push_back(term);
      }
      open.pop_back();
    }
    return found;
  }

  std::vector<TermIndex> terms_at(When at) const {
    std::vector<TermIndex> found;
    for (std::size_t k = 0; k < when.size(); ++k)
      if (when[k] == at) found.push_back(static_cast<TermIndex>(k));
    return found;
  }

  StageTerms terms;
  std::vector<int> varying;
  std::vector<When> when;                  ///< [term]
  std::vector<TermIndex> shared, of_each;  ///< numbers of stage_constants and of `of_cell`

 private:
  std::span<const Term> all() const { return terms.graph.terms(); }

  std::vector<TermIndex> outputs() const {
    std::vector<TermIndex> outputs{terms.current, terms.current_by_potential};
    for (const std::vector<TermIndex>* more : {&terms.rate, &terms.rate_by_potential, &terms.closed_end,
                                               &terms.current_by_pool, &terms.rate_by_pool, &terms.closed_by_pool})
      outputs.insert(outputs.end(), more->begin(), more->end());
    return outputs;
  }

  /// [term] whether it depends on what is known no earlier than `at`.
  std::vector<char> dependent(When at) const {
    std::vector<TermIndex> leaves;
    for (std::size_t k = 0; k < all().size(); ++k) {
      const Term& term = all()[k];
      const bool is_pool = term.operation == Operation::state && std::ranges::count(terms.pools, term.a) > 0;
      const bool is_given = term.operation == Operation::state || term.operation == Operation::potential ||
                            (term.operation == Operation::parameter && term.a == terms.step);
      const bool varies = term.operation == Operation::parameter && std::ranges::count(varying, term.a) > 0;
      if (at == When::with_pools ? is_pool : at == When::before_pools ? is_given : varies)
        leaves.push_back(static_cast<TermIndex>(k));
    }
    return dependent_terms(terms.graph, leaves);
  }

  void keep(TermIndex term) {
    if (term < 0 || terms.graph.is_constant(term)) return;
    if (when[static_cast<std::size_t>(term)] == When::shared) shared.push_back(term);
    if (when[static_cast<std::size_t>(term)] == When::of_cell) of_each.push_back(term);
  }
};

/// Writes Gaussian elimination of 1 − h ∂g/∂s with two right-hand sides, d and v, without the entries that stay 0: row
/// after row as they are made, so that few numbers wait.
class EliminationText {
 public:
  explicit EliminationText(const StageTerms& terms)
      : terms_(terms), rows_(terms.pools.size()), is_there_(rows_ * rows_, 0) {}

  /// The lines that make a row and eliminate what is left of its diagonal.
  std::string row(std::size_t row, const TermText& text) {
    for (std::size_t column = 0; column < rows_; ++column) {
      const TermIndex slope = terms_.rate_by_pool[row * rows_ + column];
      if (terms_.graph.is_constant(slope, 0) && row != column) continue;
      is_there_[row * rows_ + column] = 1;
      add("double " + entry(row, column) + " = " + (row == column ? "1 - h * " : "-h * ") + text(slope));
    }
    for (std::size_t k = 0; k < row; ++k)
      if (is_there_[row * rows_ + k] != 0) subtract(row, k);
    add("has_failed |= !(" + entry(row, row) + " > 0)");
    add("const double " + numbered("i", row) + " = 1 / " + entry(row, row));
    return std::exchange(lines_, {});
  }

  /// The lines that solve what the rows have become.
  std::string solution() {
    for (std::size_t k = rows_; k-- > 0;) {
      for (std::size_t j = k + 1; j < rows_; ++j)
        if (is_there_[k * rows_ + j] != 0)
          for (const char* right : {"d", "v"})
            add(numbered(right, k) + " -= " + entry(k, j) + " * " + numbered(right, j));
      for (const char* right : {"d", "v"}) add(numbered(right, k) + " *= " + numbered("i", k));
    }
    return std::exchange(lines_, {});
  }

 private:
  void add(const std::string& line) { lines_.append("      ").append(line).append(";\n"); }
  static std::string entry(std::size_t row, std::size_t column) {
    return numbered("a", row) + "_" + std::to_string(column);
  }

  /// Row k from another one.
  void subtract(std::size_t row, std::size_t k) {
    const std::string factor = "e" + entry(row, k);
    add("const double " + factor + " = " + entry(row, k) + " * " + numbered("i", k));
    for (std::size_t column = k + 1; column < rows_; ++column) {
      if (is_there_[k * rows_ + column] == 0) continue;
      char& is_there = is_there_[row * rows_ + column];
      const std::string change = factor + " * " + entry(k, column);
      add(is_there != 0 ? entry(row, column) + " -= " + change : "double " + entry(row, column) + " = -" + change);
      is_there = 1;
    }
    for (const char* right : {"d", "v"}) add(numbered(right, row) + " -= " + factor + " * " + numbered(right, k));
  }

  const StageTerms& terms_;
  std::size_t rows_;
  std::vector<char> is_there_;
  std::string lines_;
};

/// Writes the function of a stage. Pool k is p<k>, at its beginning f<k>, its change by Newton's method d<k> and its
/// derivative by V v<k>.
class StageWriter {
 public:
  StageWriter(const CellMlModel& model, const StageSchedule& schedule)
      : model_(model), schedule_(schedule), terms_(schedule.terms), text_(schedule.terms.graph) {
    name_leaves();
  }

  std::string written() {
    all_ = term_functions;
    all_ += "\n__constant__ double stage_constants[" +
            std::to_string(std::max<std::size_t>(1, schedule_.shared.size())) +
            "];\n\n__device__ void stage_of_cell(double V, double h, const double* of_cell, const double* old, "
            "double* end, long long stride, double& current, double& slope) {\n  (void)of_cell;\n";
    for (const int state : terms_.closed)
      add(1, "const double " + numbered("s", of(state)) + " = old[" + std::to_string(state) + " * stride]");
    std::vector<char> done(schedule_.when.size(), 0);
    all_ += text_.lines(schedule_.in_order(schedule_.terms_at(When::before_pools), When::before_pools, done), "  ");
    add(1, "current = slope = not_a_number()");
    // A second time without bounds, where a short stage has no solution with them.
    all_ += "  for (int attempt = 0; attempt < 2; ++attempt) {\n    bool has_failed = false, is_found = false;\n";
    for (std::size_t k = 0; k < terms_.pools.size(); ++k) begin_pool(k);
    all_ += "    for (int iteration = 1; iteration <= 32; ++iteration) {\n";
    iterate();
    all_ += "    }\n    if (is_found || h > 0.02) break;\n  }\n}\n";
    return std::move(all_);
  }

 private:
  static std::size_t of(int number) { return static_cast<std::size_t>(number); }
  const CellMlState& state_of_pool(std::size_t k) const { return model_.states[of(terms_.pools[k])]; }
  bool is_bounded(std::size_t k) const { return state_of_pool(k).is_amount && state_of_pool(k).initial >= 0; }
  void add(int depth, const std::string& line) {
    all_.append(static_cast<std::size_t>(2 * depth), ' ').append(line).append(";\n");
  }

  void name_leaves() {
    const TermGraph& graph = terms_.graph;
    for (std::size_t k = 0; k < graph.terms().size(); ++k) {
      const Term& term = graph.terms()[k];
      const auto index = static_cast<TermIndex>(k);
      if (term.operation == Operation::potential) text_.name(index, "V");
      if (term.operation == Operation::parameter && term.a == terms_.step) text_.name(index, "h");
      if (term.operation != Operation::state) continue;
      const auto pool = std::ranges::find(terms_.pools, term.a);
      text_.name(index, pool == terms_.pools.end() ? numbered("s", of(term.a))
                                                   : numbered("p", of(static_cast<int>(pool - terms_.pools.begin()))));
    }
    for (std::size_t k = 0; k < schedule_.shared.size(); ++k)
      text_.name(schedule_.shared[k], numbered("stage_constants[", k) + "]");
    for (std::size_t k = 0; k < schedule_.of_each.size(); ++k)
      text_.name(schedule_.of_each[k], numbered("of_cell[", k) + "]");
  }

  void begin_pool(std::size_t k) {
    const std::string f = numbered("f", k), p = numbered("p", k);
    const double initial = std::abs(state_of_pool(k).initial);
    add(2, "double " + f + " = old[" + std::to_string(terms_.pools[k]) + " * stride], " + p + " = " + f);
    if (!is_bounded(k)) return;
    constexpr double just_below = 0.05, least_guess = 1e-6;
    add(2,
        "if (attempt == 0 && " + f + " < 0 && " + f + " > " + literal_text(-just_below * initial) + ") " + f + " = 0");
    const std::string least = literal_text(least_guess * initial);
    add(2, "if (attempt == 0) " + p + " = " + f + " >= 0 && " + f + " < " + least + " ? " + least + " : " + f);
  }

  void iterate() {
    EliminationText elimination(terms_);
    std::vector<char> done(schedule_.when.size(), 0);
    const std::size_t pools = terms_.pools.size();
    const auto compute = [&](const std::vector<TermIndex>& roots) {
      all_ += text_.lines(schedule_.in_order(roots, When::with_pools, done), "      ");
    };
    for (std::size_t k = 0; k < pools; ++k) {
      std::vector<TermIndex> roots{terms_.rate[k], terms_.rate_by_potential[k]};
      roots.insert(roots.end(), terms_.rate_by_pool.begin() + k * pools, terms_.rate_by_pool.begin() + (k + 1) * pools);
      compute(roots);
      add(3, "double " + numbered("d", k) + " = " + numbered("f", k) + " + h * " + text_(terms_.rate[k]) + " - " +
                 numbered("p", k));
      add(3, "double " + numbered("v", k) + " = h * " + text_(terms_.rate_by_potential[k]));
      all_ += elimination.row(k, text_);
    }
    std::vector<TermIndex> roots{terms_.current, terms_.current_by_potential};
    for (const auto* more : {&terms_.current_by_pool, &terms_.closed_end, &terms_.closed_by_pool})
      roots.insert(roots.end(), more->begin(), more->end());
    compute(roots);
    all_ += elimination.solution();
    add(3, "bool is_solved = true");
    for (std::size_t k = 0; k < terms_.pools.size(); ++k) judge(k);
    all_ += "      if (is_solved || has_failed) {\n";
    end();
    all_ += "        break;\n      }\n";
    if (pools > 0) add(3, "const double share = iteration % 8 == 0 ? 0.5 : 1.0");
    for (std::size_t k = 0; k < terms_.pools.size(); ++k) {
      const std::string p = numbered("p", k), moved = p + " + share * " + numbered("d", k);
      add(3,
          is_bounded(k) ? p + " = attempt == 0 ? fmax(" + moved + ", 0.1 * " + p + ") : " + moved : p + " = " + moved);
    }
  }

  /// What is left of the last change is taken linearly, as Newton's error squares from one iteration to the next. A
  /// pool that passes through 0 has no relative error there.
  void judge(std::size_t k) {
    const std::string d = numbered("d", k), size = "fabs(" + numbered("f", k) + ")",
                      initial = literal_text(std::abs(state_of_pool(k).initial)),
                      scale = "1e-4 * fmax(" + initial + ", " + size + ")";
    add(3, "is_solved &= fabs(" + d + ") <= 1e-5 * (fabs(" + numbered("p", k) + ") + " +
               (is_bounded(k) ? "(attempt == 0 ? 0 : " + scale + ")" : scale) + " + 1e-12)");
    add(3, "has_failed |= !isfinite(" + d + ")");
  }

  void end() {
    std::string current = text_(terms_.current), slope = text_(terms_.current_by_potential), is_found = "!has_failed";
    for (std::size_t j = 0; j < terms_.pools.size(); ++j) {
      if (is_bounded(j)) is_found += " && (attempt == 1 || " + numbered("p", j) + " + " + numbered("d", j) + " >= 0)";
      if (terms_.graph.is_constant(terms_.current_by_pool[j], 0)) continue;
      current += " + " + text_(terms_.current_by_pool[j]) + " * " + numbered("d", j);
      slope += " + " + text_(terms_.current_by_pool[j]) + " * " + numbered("v", j);
    }
    add(4, "is_found = " + is_found);
    add(4, "current = is_found ? " + current + " : not_a_number()");
    add(4, "slope = is_found ? " + slope + " : not_a_number()");
    for (std::size_t i = 0; i < terms_.closed.size(); ++i) {
      std::string state = text_(terms_.closed_end[i]);
      for (std::size_t j = 0; j < terms_.pools.size(); ++j)
        if (const TermIndex by_pool = terms_.closed_by_pool[i * terms_.pools.size() + j];
            !terms_.graph.is_constant(by_pool, 0))
          state += " + " + text_(by_pool) + " * " + numbered("d", j);
      add(4, "end[" + std::to_string(terms_.closed[i]) + " * stride] = " + state);
    }
    for (std::size_t k = 0; k < terms_.pools.size(); ++k)
      add(4, "end[" + std::to_string(terms_.pools[k]) + " * stride] = " + numbered("p", k) + " + " + numbered("d", k));
  }

  const CellMlModel& model_;
  const StageSchedule& schedule_;
  const StageTerms& terms_;
  TermText text_;
  std::string all_;
};

/// Parameters, and any number for the length of the stage.
std::vector<double> values_of(const std::vector<double>& parameters) {
  std::vector<double> values = parameters;
  values.push_back(0);
  return values;
}

/// [cells][of_each] what the terms are that depend on parameters of a cell.
std::vector<Real> numbers_of_cells(const StageSchedule& schedule, std::span<const std::vector<double>> cells) {
  if (schedule.of_each.empty()) return {};
  const TermTape tape(schedule.terms.graph, schedule.of_each, values_of(cells.front()), schedule.varying);
  std::vector<double> registers = tape.registers<double, 1>();
  std::vector<Real> numbers;
  for (const std::vector<double>& cell : cells) {
    for (const int parameter : schedule.varying)
      if (const std::int32_t place = tape.parameter(static_cast<std::size_t>(parameter)); place >= 0)
        registers[static_cast<std::size_t>(place)] = cell[static_cast<std::size_t>(parameter)];
    tape.run<double, 1>(registers);
    for (std::size_t k = 0; k < schedule.of_each.size(); ++k)
      numbers.push_back(registers[static_cast<std::size_t>(tape.output(k))]);
  }
  return numbers;
}

}  // namespace

StageText cellml_stage_text(const CellMlModel& model, std::span<const std::vector<double>> cells) {
  const StageSchedule schedule(model, cells);
  StageText result;
  result.text = StageWriter(model, schedule).written();
  const std::vector<double> states = model.initial_states(), parameters = values_of(cells.front());
  const std::vector<double> values = evaluate(
      schedule.terms.graph, {.potential_mv = model.initial_potential_mv, .states = states, .parameters = parameters});
  for (const TermIndex term : schedule.shared) result.constants.push_back(values[static_cast<std::size_t>(term)]);
  result.each = schedule.of_each.size();
  result.of_cells = numbers_of_cells(schedule, cells);
  result.operations = static_cast<std::size_t>(std::ranges::count_if(result.text, [](char c) { return c == ';'; }));
  return result;
}

}  // namespace cardiowarp
