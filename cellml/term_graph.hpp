#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace cardiowarp {

// The formulas of a cell model as one graph of terms. A term is a number, a leaf or an operation on terms that stand
// before it, so that one pass over the terms evaluates all of them. Equal terms are stored once: a formula that a model
// uses in ten places is one term. Truth values are the numbers 0 and 1.

/// The kinds of terms. Where an operation has fewer arguments than three, the others are not looked at.
enum class Operation : std::uint8_t {
  constant,   ///< a number
  parameter,  ///< a number that a user may set, by its index
  state,      ///< a state of the cell beside the potential, by its index
  potential,  ///< in mV
  time,       ///< in ms
  stimulus,   ///< the stimulus current, in the unit of the file
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  exp,
  log,
  sqrt,
  abs,
  floor,
  ceiling,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  exp_quotient,        ///< x / (exp x − 1), which is 1 at x = 0
  exp_quotient_slope,  ///< its derivative, −½ at x = 0
  less,
  less_equal,
  equal,
  logical_and,
  logical_or,
  logical_not,
  select,  ///< the second argument where the first is not 0, else the third
};

constexpr bool is_leaf(Operation operation) { return operation <= Operation::stimulus; }
constexpr bool is_unary(Operation operation) {
  return operation == Operation::negate || operation == Operation::logical_not ||
         (operation >= Operation::exp && operation <= Operation::exp_quotient_slope);
}
/// How many arguments an operation takes.
constexpr int arguments_of(Operation operation) {
  return is_leaf(operation) ? 0 : is_unary(operation) ? 1 : operation == Operation::select ? 3 : 2;
}

/// The place of a term in its graph.
using TermIndex = std::int32_t;

/// A term. `a` is the index of a parameter or a state where the term is one.
struct Term {
  Operation operation = Operation::constant;
  TermIndex a = -1, b = -1, c = -1;
  double value = 0;  ///< of a constant

  bool operator==(const Term&) const = default;
};

/// The value of an operation at numbers. Leaves have none: the result is then 0.
double apply_operation(Operation operation, double a, double b, double c);

/// The most terms that a graph takes, 70 MB. The largest models have 5,000, and 30,000 with their derivatives.
constexpr std::size_t most_terms = 1'000'000;

class TermGraph {
 public:
  TermIndex constant(double value);
  /// A leaf other than a constant; `index` is that of a parameter or a state.
  TermIndex leaf(Operation operation, int index = 0);
  /// The term of an operation, simplified where that changes no value: x + 0, x · 1, x · 0, x^2 = x · x, an operation
  /// on constants. Throws InputError where the graph would have more than `most_terms`.
  TermIndex term(Operation operation, TermIndex a, TermIndex b = -1, TermIndex c = -1);

  TermIndex negate(TermIndex a) { return term(Operation::negate, a); }
  TermIndex add(TermIndex a, TermIndex b) { return term(Operation::add, a, b); }
  TermIndex subtract(TermIndex a, TermIndex b) { return term(Operation::subtract, a, b); }
  TermIndex multiply(TermIndex a, TermIndex b) { return term(Operation::multiply, a, b); }
  TermIndex divide(TermIndex a, TermIndex b) { return term(Operation::divide, a, b); }
  TermIndex select(TermIndex condition, TermIndex a, TermIndex b) { return term(Operation::select, condition, a, b); }

  const Term& operator[](TermIndex index) const { return terms_[static_cast<std::size_t>(index)]; }
  std::span<const Term> terms() const { return terms_; }
  TermIndex size() const { return static_cast<TermIndex>(terms_.size()); }
  bool is_constant(TermIndex index, double value) const;
  bool is_constant(TermIndex index) const { return (*this)[index].operation == Operation::constant; }

 private:
  struct Hash {
    std::size_t operator()(const Term& term) const;
  };

  TermIndex stored(const Term& term);
  TermIndex simplified_negation(TermIndex a);
  TermIndex simplified_sum(Operation operation, TermIndex a, TermIndex b);
  TermIndex simplified_product(Operation operation, TermIndex a, TermIndex b);
  TermIndex simplified_power(TermIndex a, TermIndex b);
  TermIndex simplified_select(TermIndex condition, TermIndex a, TermIndex b);

  std::vector<Term> terms_;
  TermIndex not_a_number_ = -1;
  std::unordered_map<Term, TermIndex, Hash> known_;
};

/// The numbers that stand for the leaves. States and parameters that a graph names must be there.
struct LeafValues {
  double potential_mv = 0, time_ms = 0, stimulus = 0;
  std::span<const double> states = {}, parameters = {};
};

/// The value of each term. The plain way, against which faster ones are tested.
std::vector<double> evaluate(const TermGraph& graph, const LeafValues& leaves);

/// For each term, whether it depends on one of `leaves`.
std::vector<char> dependent_terms(const TermGraph& graph, std::span<const TermIndex> leaves);

/// For each term, whether one of `roots` needs it.
std::vector<char> needed_terms(const TermGraph& graph, std::span<const TermIndex> roots);

/// The derivative of each of `terms` by `leaf`, as terms of the graph. Conditions count as constant. Exact, but for the
/// second derivative of exp_quotient, which is 0 / 0 at 0.
std::vector<TermIndex> derivatives(TermGraph& graph, std::span<const TermIndex> terms, TermIndex leaf);

/// `roots` with `value` in the place of `leaf`.
std::vector<TermIndex> substituted(TermGraph& graph, std::span<const TermIndex> roots, TermIndex leaf, double value);

}  // namespace cardiowarp
