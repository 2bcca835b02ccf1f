#include "cellml/generated_cell.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "cellml/generated_prelude.hpp"
#include "cellml/number_text.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

constexpr const char* function_names[] = {
    "exp",  "log",  "sqrt", "abs",  "floor", "ceiling", "sin",   "cos",   "tan",          "asin",
    "acos", "atan", "sinh", "cosh", "tanh",  "asinh",   "acosh", "atanh", "exp_quotient", "exp_quotient_slope"};

bool is_truth(Operation operation) { return operation >= Operation::less && operation <= Operation::logical_not; }

std::string literal(double value) {
  if (std::isnan(value)) return "(1e308 * 10 - 1e308 * 10)";
  if (std::isinf(value)) return value > 0 ? "(1e308 * 10)" : "(-1e308 * 10)";
  std::string text = exact_text(value);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

/// Writes the terms of one function of the struct.
class FunctionText {
 public:
  /// `names` are the expressions of leaves, and of constants that are computed elsewhere. `number` is the type of what
  /// depends on no argument, `varying` that of everything else.
  FunctionText(const TermGraph& graph, std::map<TermIndex, std::string> names, const char* varying)
      : graph_(graph), names_(std::move(names)), varying_(varying) {}

  /// The lines that compute `roots`.
  std::string lines(std::span<const TermIndex> roots) {
    std::string text;
    const std::vector<char> needed = needed_of(roots);
    for (std::size_t k = 0; k < needed.size(); ++k) {
      const auto term = static_cast<TermIndex>(k);
      if (needed[k] == 0 || names_.contains(term) || graph_.is_constant(term)) continue;
      const bool truth = is_truth(graph_[term].operation);
      const std::string name = "t" + std::to_string(term);
      text.append("    const ").append(truth ? "bool" : varying_).append(" ").append(name).append(" = ");
      text.append(expression(graph_[term])).append(";\n");
      names_[term] = name;
      if (truth) truths_.insert(term);
    }
    return text;
  }

  /// A term as a number of the varying type.
  std::string number(TermIndex term) const {
    if (graph_.is_constant(term)) return std::string(varying_) + "(" + constant(term) + ")";
    const std::string& name = names_.at(term);
    if (truths_.contains(term)) return std::string(varying_) + "(" + name + " ? N(1) : N(0))";
    return std::string(varying_) + "(" + name + ")";
  }

 private:
  /// What the roots need, down to what has a name already.
  std::vector<char> needed_of(std::span<const TermIndex> roots) const {
    std::vector<char> needed(graph_.terms().size(), 0);
    for (const TermIndex root : roots) needed[static_cast<std::size_t>(root)] = 1;
    for (std::size_t k = needed.size(); k-- > 0;) {
      const Term& term = graph_.terms()[k];
      if (needed[k] == 0 || is_leaf(term.operation) || names_.contains(static_cast<TermIndex>(k))) continue;
      for (const TermIndex argument : {term.a, term.b, term.c})
        if (argument >= 0) needed[static_cast<std::size_t>(argument)] = 1;
    }
    return needed;
  }

  std::string constant(TermIndex term) const { return "N(" + literal(graph_[term].value) + ")"; }

  /// As an operand: a constant stays a plain number, with which arithmetic is cheaper.
  std::string operand(TermIndex term) const {
    if (graph_.is_constant(term)) return constant(term);
    return truths_.contains(term) ? number(term) : names_.at(term);
  }
  std::string truth(TermIndex term) const {
    if (truths_.contains(term)) return names_.at(term);
    return "(value_of(" + operand(term) + ") != N(0))";
  }
  std::string compared(const Term& term, const char* sign) const {
    return "value_of(" + operand(term.a) + ") " + sign + " value_of(" + operand(term.b) + ")";
  }

  std::string expression(const Term& term) const {
    switch (term.operation) {
      case Operation::negate:
        return "-" + number(term.a);
      case Operation::add:
        return operand(term.a) + " + " + operand(term.b);
      case Operation::subtract:
        return operand(term.a) + " - " + operand(term.b);
      case Operation::multiply:
        return operand(term.a) + " * " + operand(term.b);
      case Operation::divide:
        return operand(term.a) + " / " + operand(term.b);
      case Operation::power:
        if (graph_.is_constant(term.b)) return "power_of_number(" + number(term.a) + ", " + constant(term.b) + ")";
        return "power(" + number(term.a) + ", " + number(term.b) + ")";
      case Operation::less:
        return compared(term, "<");
      case Operation::less_equal:
        return compared(term, "<=");
      case Operation::equal:
        return compared(term, "==");
      case Operation::logical_and:
        return truth(term.a) + " && " + truth(term.b);
      case Operation::logical_or:
        return truth(term.a) + " || " + truth(term.b);
      case Operation::logical_not:
        return "!" + truth(term.a);
      case Operation::select:
        return truth(term.a) + " ? " + number(term.b) + " : " + number(term.c);
      default: {
        const auto index = static_cast<int>(term.operation) - static_cast<int>(Operation::exp);
        return "f_" + std::string(function_names[index]) + "(" + number(term.a) + ")";
      }
    }
  }

  const TermGraph& graph_;
  std::map<TermIndex, std::string> names_;
  std::set<TermIndex> truths_;
  std::string varying_;
};

static_assert(std::size(function_names) ==
              static_cast<std::size_t>(Operation::exp_quotient_slope) - static_cast<std::size_t>(Operation::exp) + 1);

class CellText {
 public:
  explicit CellText(const CellMlModel& model) : model_(model), graph_(model.graph) {
    sort_states();
    name_leaves();
    for (const int number : order(0, cell_.gates)) add_step_terms(number, gate_);
    for (const int number : order(cell_.gates, cell_.gates + cell_.followers)) add_step_terms(number, follower_);
    current_.push_back(graph_.negate(model.potential_rate));
    for (const int number : order(cell_.gates + cell_.followers, static_cast<int>(cell_.states.size())))
      current_.push_back(state(number).rate);
    without_stimulus(gate_);
    without_stimulus(follower_);
    without_stimulus(current_);
    name_constants();
  }

  GeneratedCell made() {
    std::string& text = cell_.text;
    text = generated_prelude;
    const auto count = [](int number) { return std::to_string(number); };
    text += "struct GeneratedCell {\n  static constexpr int gates = " + count(cell_.gates) +
            ", followers = " + count(cell_.followers) + ", pools = " + count(cell_.pools) + ";\n";
    text += "  double p[" + count(std::max(1, cell_.parameters)) + "];\n  double k[" +
            count(std::max(1, cell_.constants)) + "];\n\n";
    add_preparation();
    add_function("void gate(const T& V, T* target, T* speed) const", {"V", "target", "speed"}, gate_);
    add_function("void follower(const T& V, const T* g, const T* c, T* target, T* speed) const",
                 {"V", "g", "c", "target", "speed"}, follower_);
    add_function("T current(const T& V, const T* g, const T* f, const T* c, T* rate) const",
                 {"V", "g", "f", "c", "rate"}, current_);
    text += "};\n\n}  // namespace generated_cell\n";
    return std::move(cell_);
  }

 private:
  const CellMlState& state(int number) const { return model_.states[static_cast<std::size_t>(number)]; }
  std::vector<int> order(int begin, int end) const {
    return {cell_.states.begin() + begin, cell_.states.begin() + end};
  }

  /// Gates, then followers of gates and pools alone, then all others.
  void sort_states() {
    std::vector<TermIndex> followers;
    for (std::size_t k = 0; k < model_.states.size(); ++k)
      if (model_.states[k].kind == StateKind::follower)
        followers.push_back(graph_.leaf(Operation::state, static_cast<int>(k)));
    const std::vector<char> depends = dependent_terms(graph_, followers);
    const auto is_free = [&](TermIndex term) { return depends[static_cast<std::size_t>(term)] == 0; };
    std::vector<int> gates, free_followers, pools;
    for (std::size_t k = 0; k < model_.states.size(); ++k) {
      const CellMlState& of = model_.states[k];
      const bool follows = of.kind == StateKind::follower && is_free(of.open) && is_free(of.speed);
      (of.kind == StateKind::gate ? gates : follows ? free_followers : pools).push_back(static_cast<int>(k));
    }
    cell_.gates = static_cast<int>(gates.size());
    cell_.followers = static_cast<int>(free_followers.size());
    cell_.pools = static_cast<int>(pools.size());
    cell_.parameters = static_cast<int>(model_.parameters.size());
    for (const std::vector<int>* kind : {&gates, &free_followers, &pools})
      cell_.states.insert(cell_.states.end(), kind->begin(), kind->end());
  }

  void name_leaves() {
    names_[graph_.leaf(Operation::potential)] = "V";
    for (std::size_t k = 0; k < cell_.states.size(); ++k) {
      const int place = static_cast<int>(k), pools = cell_.gates + cell_.followers;
      const std::string name = place < cell_.gates ? "g[" + std::to_string(place)
                               : place < pools     ? "f[" + std::to_string(place - cell_.gates)
                                                   : "c[" + std::to_string(place - pools);
      names_[graph_.leaf(Operation::state, cell_.states[k])] = name + "]";
    }
  }

  void add_step_terms(int number, std::vector<TermIndex>& roots) {
    roots.push_back(graph_.divide(state(number).open, state(number).speed));
    roots.push_back(state(number).speed);
  }

  void without_stimulus(std::vector<TermIndex>& roots) {
    roots = substituted(graph_, roots, graph_.leaf(Operation::stimulus), 0);
  }

  /// What depends on parameters alone and is used by something else gets a place in k[].
  void name_constants() {
    std::vector<TermIndex> varying{graph_.leaf(Operation::potential)}, roots = gate_;
    for (std::size_t k = 0; k < model_.states.size(); ++k)
      varying.push_back(graph_.leaf(Operation::state, static_cast<int>(k)));
    roots.insert(roots.end(), follower_.begin(), follower_.end());
    roots.insert(roots.end(), current_.begin(), current_.end());
    const std::vector<char> varies = dependent_terms(graph_, varying), needed = needed_terms(graph_, roots);
    std::set<TermIndex> used;
    const auto use = [&](TermIndex term) {
      if (term >= 0 && varies[static_cast<std::size_t>(term)] == 0 && !graph_.is_constant(term)) used.insert(term);
    };
    for (const TermIndex root : roots) use(root);
    for (std::size_t k = 0; k < needed.size(); ++k) {
      const Term& term = graph_.terms()[k];
      if (needed[k] == 0 || varies[k] == 0 || is_leaf(term.operation)) continue;
      for (const TermIndex argument : {term.a, term.b, term.c}) use(argument);
    }
    constants_.assign(used.begin(), used.end());
    cell_.constants = static_cast<int>(constants_.size());
  }

  void add_preparation() {
    std::map<TermIndex, std::string> names;
    for (int k = 0; k < cell_.parameters; ++k)
      names[graph_.leaf(Operation::parameter, k)] = "p[" + std::to_string(k) + "]";
    FunctionText function(graph_, std::move(names), "double");
    cell_.text +=
        "  CELL_HD void prepare() {\n    using N = double;\n    (void)sizeof(N);\n" + function.lines(constants_);
    for (std::size_t k = 0; k < constants_.size(); ++k)
      cell_.text += "    k[" + std::to_string(k) + "] = " + function.number(constants_[k]) + ";\n";
    cell_.text += "  }\n";
  }

  /// `roots` are pairs of target and speed, or the current and the rates of pools.
  void add_function(const char* head, std::initializer_list<const char*> arguments,
                    const std::vector<TermIndex>& roots) {
    const std::size_t each = &roots == &current_ ? 1 : 2;
    std::map<TermIndex, std::string> names = names_;
    for (std::size_t k = 0; k < constants_.size(); ++k) names[constants_[k]] = "N(k[" + std::to_string(k) + "])";
    FunctionText function(graph_, std::move(names), "T");
    std::string& text = cell_.text;
    text.append("\n  template <class T>\n  CELL_HD ").append(head).append(" {\n");
    text += "    using N = typename NumberOf<T>::Type;\n    (void)sizeof(N);\n";
    for (const char* name : arguments) text.append("    (void)").append(name).append(";\n");  // some need none of them
    text += function.lines(roots);
    const std::size_t first = each == 1 ? 1 : 0;
    for (std::size_t k = first; k < roots.size(); ++k) {
      const char* array = each == 1 ? "rate" : k % 2 == 0 ? "target" : "speed";
      text.append("    ").append(array).append("[").append(std::to_string((k - first) / each)).append("] = ");
      text.append(function.number(roots[k])).append(";\n");
    }
    if (each == 1) text += "    return " + function.number(roots[0]) + ";\n";
    text += "  }\n";
  }

  const CellMlModel& model_;
  TermGraph graph_;
  GeneratedCell cell_;
  std::map<TermIndex, std::string> names_;
  std::vector<TermIndex> gate_, follower_, current_, constants_;
};

}  // namespace

GeneratedCell generate_cell(const CellMlModel& model) {
  if (model.depends_on_time)
    throw InputError("the equations of '" + model.name +
                     "' depend on time, beside a stimulus: name the current that does");
  return CellText(model).made();
}

}  // namespace cardiowarp
