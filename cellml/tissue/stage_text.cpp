#include "cellml/tissue/stage_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "cellml/term_tape.hpp"
#include "cellml/tissue/stage_method.hpp"
#include "cellml/tissue/stage_terms.hpp"
#include "cellml/tissue/term_text.hpp"

namespace cardiowarp {
namespace {

namespace method = stage_method;

/// When in a stage a term is computed: what depends on parameters that all cells share is a number of
/// stage_constants, what depends on further parameters alone one of `of_cell`.
enum class When : char { never, shared, of_cell, before_pools, with_pools };

constexpr std::size_t most_operations_written = 100'000;

/// The operations of a text, one a line.
std::size_t operations_in(std::string_view text) { return static_cast<std::size_t>(std::ranges::count(text, ';')); }

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
      kept->erase(std::unique(kept->begin(), kept->end()), kept->end());
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
      add("double a{}_{} = {}-h * {}", row, column, row == column ? "1 " : "", text(slope));
    }
    for (std::size_t k = 0; k < row; ++k)
      if (is_there_[row * rows_ + k] != 0) subtract(row, k);
    add("has_failed |= !(a{0}_{0} > 0)", row);
    add("const double i{0} = 1 / a{0}_{0}", row);
    return std::exchange(lines_, {});
  }

  /// The lines that solve what the rows have become for right-hand sides that were eliminated with them.
  std::string solution(std::string_view right_hand_sides) {
    for (std::size_t k = rows_; k-- > 0;) {
      for (std::size_t j = k + 1; j < rows_; ++j)
        if (is_there_[k * rows_ + j] != 0)
          for (const char right : right_hand_sides) add("{0}{1} -= a{1}_{2} * {0}{2}", right, k, j);
      for (const char right : right_hand_sides) add("{0}{1} *= i{1}", right, k);
    }
    return std::exchange(lines_, {});
  }

  /// The lines that solve for a further right-hand side once the rows are there.
  std::string solution_again(char right) {
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t k = 0; k < row; ++k)
        if (is_there_[row * rows_ + k] != 0) add("{0}{1} -= e{1}_{2} * {0}{2}", right, row, k);
    return solution({&right, 1});
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> line, Values&&... values) {
    lines_ += "      ";
    fmt::format_to(std::back_inserter(lines_), line, std::forward<Values>(values)...);
    lines_ += ";\n";
  }

  /// Row k from another one.
  void subtract(std::size_t row, std::size_t k) {
    add("const double e{0}_{1} = a{0}_{1} * i{1}", row, k);
    for (std::size_t column = k + 1; column < rows_; ++column) {
      if (is_there_[k * rows_ + column] == 0) continue;
      char& is_there = is_there_[row * rows_ + column];
      if (is_there != 0)
        add("a{0}_{2} -= e{0}_{1} * a{1}_{2}", row, k, column);
      else
        add("double a{0}_{2} = -e{0}_{1} * a{1}_{2}", row, k, column);
      is_there = 1;
    }
    for (const char right : {'d', 'v'}) add("{0}{1} -= e{1}_{2} * {0}{2}", right, row, k);
  }

  const StageTerms& terms_;
  std::size_t rows_;
  std::vector<char> is_there_;
  std::string lines_;
};

/// Writes the function of a stage. State k in closed form is s<k> at its beginning; pool k is p<k>, at its beginning
/// f<k>, its change by Newton's method d<k> and its derivative by V v<k>.
class StageWriter {
 public:
  StageWriter(const CellMlModel& model, const StageSchedule& schedule)
      : model_(model),
        schedule_(schedule),
        terms_(schedule.terms),
        pools_(terms_.pools.size()),
        text_(schedule.terms.graph) {
    name_leaves();
  }

  std::string written() {
    all_ = term_functions;
    all_ += fmt::format(
        "\n__constant__ double stage_constants[{}];\n\n"
        "__device__ void stage_of_cell(double V, double h, const double* of_cell, const double* old, double* end, "
        "long long stride, double& current, double& slope) {{\n  (void)of_cell;\n",
        std::max<std::size_t>(1, schedule_.shared.size()));
    for (const int state : terms_.closed) add("  const double s{0} = old[{0} * stride];", state);
    std::vector<char> done(schedule_.when.size(), 0);
    all_ += text_.lines(schedule_.in_order(schedule_.terms_at(When::before_pools), When::before_pools, done), "  ");
    add("  current = slope = not_a_number();");
    // A second time without bounds, where a short stage has no solution with them.
    add("  for (int attempt = 0; attempt < 2; ++attempt) {{\n    bool has_failed = false, is_found = false;");
    for (std::size_t k = 0; k < pools_; ++k) begin_pool(k);
    add("    for (int iteration = 1; iteration <= {}; ++iteration) {{", method::most_iterations);
    iterate();
    add("    }}\n    if (is_found || h > {}) break;\n  }}\n}}", literal_text(method::short_ms));
    return std::move(all_);
  }

 private:
  const CellMlState& state_of_pool(std::size_t k) const {
    return model_.states[static_cast<std::size_t>(terms_.pools[k])];
  }
  bool is_bounded(std::size_t k) const { return state_of_pool(k).is_amount && state_of_pool(k).initial >= 0; }

  template <class... Values>
  void add(fmt::format_string<Values...> line, Values&&... values) {
    fmt::format_to(std::back_inserter(all_), line, std::forward<Values>(values)...);
    all_ += '\n';
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
      text_.name(index, pool == terms_.pools.end() ? fmt::format("s{}", term.a)
                                                   : fmt::format("p{}", pool - terms_.pools.begin()));
    }
    for (std::size_t k = 0; k < schedule_.shared.size(); ++k)
      text_.name(schedule_.shared[k], fmt::format("stage_constants[{}]", k));
    for (std::size_t k = 0; k < schedule_.of_each.size(); ++k)
      text_.name(schedule_.of_each[k], fmt::format("of_cell[{}]", k));
  }

  void begin_pool(std::size_t k) {
    const double initial = std::abs(state_of_pool(k).initial);
    add("    double f{0} = old[{1} * stride], p{0} = f{0};", k, terms_.pools[k]);
    if (!is_bounded(k)) return;
    add("    if (attempt == 0 && f{0} < 0 && f{0} > {1}) f{0} = 0;", k, literal_text(-method::just_below * initial));
    add("    if (attempt == 0) p{0} = f{0} >= 0 && f{0} < {1} ? {1} : f{0};", k,
        literal_text(method::least_guess * initial));
  }

  void iterate() {
    EliminationText elimination(terms_);
    evaluate(elimination);
    add("      bool is_solved = true{};", pools_ > 0 ? ", is_close = true" : "");
    for (std::size_t k = 0; k < pools_; ++k) judge(k);
    add("      if (is_solved || has_failed) {{");
    end('d');
    add("        break;\n      }}");
    if (pools_ > 0) add("      const double share = iteration % {} == 0 ? 0.5 : 1.0;", method::half_every);
    for (std::size_t k = 0; k < pools_; ++k)
      if (is_bounded(k))
        add("      p{0} = attempt == 0 ? fmax(p{0} + share * d{0}, {1} * p{0}) : p{0} + share * d{0};", k,
            literal_text(method::least_share));
      else
        add("      p{0} += share * d{0};", k);
    if (pools_ > 0) look_again(elimination);
  }

  /// The change that is left, by the derivatives of before, which are a few percent off: where it is small enough, the
  /// stage is done without derivatives in the new place, which cost several times what the formulas cost.
  void look_again(EliminationText& elimination) {
    add("      if (is_close && share == 1) {{");
    std::vector<TermIndex> roots = terms_.rate;
    roots.push_back(terms_.current);
    roots.insert(roots.end(), terms_.closed_end.begin(), terms_.closed_end.end());
    std::vector<char> done(schedule_.when.size(), 0);
    all_ += text_.lines(schedule_.in_order(roots, When::with_pools, done), "        ");
    for (std::size_t k = 0; k < pools_; ++k)
      add("      double n{0} = f{0} + h * {1} - p{0};", k, text_(terms_.rate[k]));
    all_ += elimination.solution_again('n');
    add("      bool is_near = true;");
    for (std::size_t k = 0; k < pools_; ++k)
      add("      is_near &= fabs(n{0}) <= {1} * {2};", k, literal_text(method::near_enough_again), size_of(k));
    add("      if (is_near) {{");
    end('n');
    add("        break;\n      }}\n      }}");
  }

  bool is_too_long() {
    operations_ += operations_in(std::string_view(all_).substr(counted_));
    counted_ = all_.size();
    return operations_ > most_operations_written;
  }

  /// All terms for the present pools, and the change that Newton's method makes of these, unless that is too long.
  void evaluate(EliminationText& elimination) {
    std::vector<char> done(schedule_.when.size(), 0);
    const auto compute = [&](const std::vector<TermIndex>& roots) {
      all_ += text_.lines(schedule_.in_order(roots, When::with_pools, done), "      ");
    };
    for (std::size_t k = 0; k < pools_; ++k) {
      std::vector<TermIndex> roots{terms_.rate[k], terms_.rate_by_potential[k]};
      for (std::size_t j = 0; j < pools_; ++j) roots.push_back(terms_.rate_by_pool[k * pools_ + j]);
      compute(roots);
      add("      double d{0} = f{0} + h * {1} - p{0};", k, text_(terms_.rate[k]));
      add("      double v{0} = h * {1};", k, text_(terms_.rate_by_potential[k]));
      all_ += elimination.row(k, text_);
      if (is_too_long()) return;
    }
    std::vector<TermIndex> roots{terms_.current, terms_.current_by_potential};
    for (const auto* more : {&terms_.current_by_pool, &terms_.closed_end, &terms_.closed_by_pool})
      roots.insert(roots.end(), more->begin(), more->end());
    compute(roots);
    all_ += elimination.solution("dv");
  }

  /// What a change of a pool is compared with.
  std::string size_of(std::size_t k) const {
    const std::string of_signed = fmt::format("{} * fmax({}, fabs(f{}))", literal_text(method::of_signed),
                                              literal_text(std::abs(state_of_pool(k).initial)), k);
    return fmt::format("(fabs(p{0}) + {1} + {2})", k,
                       is_bounded(k) ? fmt::format("(attempt == 0 ? 0 : {})", of_signed) : of_signed,
                       literal_text(method::least));
  }

  void judge(std::size_t k) {
    add("      is_solved &= fabs(d{0}) <= {1} * {2};", k, literal_text(method::near_enough), size_of(k));
    add("      is_close &= fabs(d{0}) <= {1} * {2};", k, literal_text(method::close), size_of(k));
    add("      has_failed |= !isfinite(d{});", k);
  }

  /// ` + derivative * change` for each pool by which something changes.
  std::string with_pools(std::span<const TermIndex> by_pool, char change) const {
    std::string text;
    for (std::size_t j = 0; j < pools_; ++j)
      if (!terms_.graph.is_constant(by_pool[j], 0)) text += fmt::format(" + {} * {}{}", text_(by_pool[j]), change, j);
    return text;
  }

  /// `change` is that of the pools which is left.
  void end(char change) {
    std::string is_found = "!has_failed";
    for (std::size_t j = 0; j < pools_; ++j)
      if (is_bounded(j)) is_found += fmt::format(" && (attempt == 1 || p{0} + {1}{0} >= 0)", j, change);
    add("        is_found = {};", is_found);
    add("        current = is_found ? {}{} : not_a_number();", text_(terms_.current),
        with_pools(terms_.current_by_pool, change));
    add("        slope = is_found ? {}{} : not_a_number();", text_(terms_.current_by_potential),
        with_pools(terms_.current_by_pool, 'v'));
    const std::span<const TermIndex> closed_by_pool = terms_.closed_by_pool;
    for (std::size_t i = 0; i < terms_.closed.size(); ++i)
      add("        end[{} * stride] = {}{};", terms_.closed[i], text_(terms_.closed_end[i]),
          with_pools(closed_by_pool.subspan(i * pools_, pools_), change));
    for (std::size_t k = 0; k < pools_; ++k)
      add("        end[{0} * stride] = p{1} + {2}{1};", terms_.pools[k], k, change);
  }

  const CellMlModel& model_;
  const StageSchedule& schedule_;
  const StageTerms& terms_;
  std::size_t pools_;
  TermText text_;
  std::string all_;
  std::size_t operations_ = 0, counted_ = 0;  ///< in the first `counted_` characters
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
  result.operations = operations_in(result.text);
  if (result.operations > most_operations_written) result.text.clear();
  return result;
}

}  // namespace cardiowarp
