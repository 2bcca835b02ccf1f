#include "cellml/term_tape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace cardiowarp {
namespace {

/// The numbers of an operation: of one register in each lane.
template <class Number, int Lanes, class Body>
void for_lanes(Number* result, const Body& body) {
  for (int lane = 0; lane < Lanes; ++lane) result[lane] = body(lane);
}

}  // namespace

TermTape::TermTape(const TermGraph& graph, std::span<const TermIndex> outputs, std::span<const double> parameters,
                   std::span<const int> varying) {
  const std::vector<char> needed = needed_terms(graph, outputs);
  place_of_.assign(needed.size(), -1);
  place_inputs_and_constants(graph, needed, parameters, varying);
  place_operations(graph, needed, outputs);
  for (const TermIndex output : outputs) outputs_.push_back(place_of_[static_cast<std::size_t>(output)]);
  place_of_.clear();
}

/// Where the register of an input is kept; nothing for other terms.
std::int32_t* TermTape::input_place(const Term& term, std::span<const int> varying) {
  const auto numbered = [&](std::vector<std::int32_t>& places) {
    const auto number = static_cast<std::size_t>(term.a);
    places.resize(std::max(places.size(), number + 1), -1);
    return &places[number];
  };
  switch (term.operation) {
    case Operation::potential:
      return &potential_;
    case Operation::time:
      return &time_;
    case Operation::stimulus:
      return &stimulus_;
    case Operation::state:
      return numbered(states_);
    case Operation::parameter:
      return std::ranges::find(varying, term.a) == varying.end() ? nullptr : numbered(varying_);
    default:
      return nullptr;
  }
}

void TermTape::place_inputs_and_constants(const TermGraph& graph, const std::vector<char>& needed,
                                          std::span<const double> parameters, std::span<const int> varying) {
  std::vector<double> values(needed.size(), 0);  // of what no input changes
  std::vector<char> varies(needed.size(), 0);
  const auto take = [&](std::size_t term) {
    place_of_[term] = registers_++;
    constants_.push_back(values[term]);
    return place_of_[term];
  };
  for (std::size_t k = 0; k < needed.size(); ++k) {
    if (needed[k] == 0) continue;
    const Term& term = graph.terms()[k];
    const auto of = [&](TermIndex index) { return index < 0 ? 0 : values[static_cast<std::size_t>(index)]; };
    for (const TermIndex argument : {term.a, term.b, term.c})
      if (!is_leaf(term.operation) && argument >= 0 && varies[static_cast<std::size_t>(argument)] != 0) varies[k] = 1;
    if (term.operation == Operation::constant) values[k] = term.value;
    if (term.operation == Operation::parameter) values[k] = parameters[static_cast<std::size_t>(term.a)];
    if (!is_leaf(term.operation) && varies[k] == 0)
      values[k] = apply_operation(term.operation, of(term.a), of(term.b), of(term.c));
    if (std::int32_t* const place = input_place(term, varying)) {
      *place = take(k);
      varies[k] = 1;
    }
  }
  // Constants have a register where something that varies, or nobody, reads them.
  std::vector<char> read(needed.size(), 0);
  for (std::size_t k = 0; k < needed.size(); ++k)
    if (varies[k] != 0 && !is_leaf(graph.terms()[k].operation))
      for (const TermIndex argument : {graph.terms()[k].a, graph.terms()[k].b, graph.terms()[k].c})
        if (argument >= 0) read[static_cast<std::size_t>(argument)] = 1;
  for (std::size_t k = 0; k < needed.size(); ++k)
    if (needed[k] != 0 && varies[k] == 0 && read[k] != 0) take(k);
  for (std::size_t k = 0; k < needed.size(); ++k)
    if (needed[k] != 0 && varies[k] == 0 && place_of_[k] < 0) place_of_[k] = -2;  // of an output, or folded away
  constants_of_terms_ = std::move(values);
}

TermTape::Then TermTape::then_of(Operation operation, bool is_left) {
  switch (operation) {
    case Operation::add:
      return Then::add;
    case Operation::subtract:
      return is_left ? Then::subtract : Then::subtract_from;
    case Operation::multiply:
      return Then::multiply;
    default:
      return is_left ? Then::divide : Then::divide_from;
  }
}

/// [term] the argument that an operation computes itself, as nothing else needs it; -1 where it computes none.
std::vector<TermIndex> TermTape::joined_arguments(const TermGraph& graph, const std::vector<char>& needed,
                                                  std::span<const TermIndex> outputs) const {
  const auto is_computed = [&](std::size_t k) { return needed[k] != 0 && place_of_[k] == -1; };
  std::vector<int> uses(needed.size(), 0);
  for (std::size_t k = 0; k < needed.size(); ++k)
    if (is_computed(k))
      for (const TermIndex argument : {graph.terms()[k].a, graph.terms()[k].b, graph.terms()[k].c})
        if (argument >= 0) ++uses[static_cast<std::size_t>(argument)];
  for (const TermIndex output : outputs) uses[static_cast<std::size_t>(output)] = 2;
  const auto is_ring = [](Operation operation) {
    return operation == Operation::add || operation == Operation::subtract || operation == Operation::multiply;
  };
  std::vector<TermIndex> joined(needed.size(), -1);
  for (std::size_t k = 0; k < needed.size(); ++k) {
    const Term& term = graph.terms()[k];
    if (!is_computed(k) || (!is_ring(term.operation) && term.operation != Operation::divide)) continue;
    for (const TermIndex argument : {term.a, term.b}) {
      const auto of = static_cast<std::size_t>(argument);
      if (is_computed(of) && uses[of] == 1 && joined[of] < 0 && is_ring(graph.terms()[of].operation))
        joined[k] = argument;
    }
  }
  return joined;
}

void TermTape::place_operations(const TermGraph& graph, const std::vector<char>& needed,
                                std::span<const TermIndex> outputs) {
  for (const TermIndex output : outputs)
    if (std::int32_t& place = place_of_[static_cast<std::size_t>(output)]; place == -2) {
      place = registers_++;
      constants_.push_back(constants_of_terms_[static_cast<std::size_t>(output)]);
    }
  constants_of_terms_.clear();
  const std::vector<TermIndex> joined = joined_arguments(graph, needed, outputs);
  std::vector<char> is_joined(needed.size(), 0);
  for (const TermIndex argument : joined)
    if (argument >= 0) is_joined[static_cast<std::size_t>(argument)] = 1;
  /// What an operation reads: a, b and c of its instruction.
  const auto read_by = [&](std::size_t k) -> std::array<TermIndex, 3> {
    const Term& term = graph.terms()[k];
    if (joined[k] < 0) return {term.a, term.b, term.c};
    const Term& first = graph[joined[k]];
    return {first.a, first.b, joined[k] == term.a ? term.b : term.a};
  };
  std::vector<std::size_t> last_use(needed.size(), 0);
  for (std::size_t k = 0; k < needed.size(); ++k)
    if (needed[k] != 0 && place_of_[k] == -1 && is_joined[k] == 0)
      for (const TermIndex argument : read_by(k))
        if (argument >= 0) last_use[static_cast<std::size_t>(argument)] = k;
  for (const TermIndex output : outputs) last_use[static_cast<std::size_t>(output)] = needed.size();
  std::vector<std::int32_t> free;
  std::vector<char> is_operation(needed.size(), 0);
  for (std::size_t k = 0; k < needed.size(); ++k) {
    if (needed[k] == 0 || place_of_[k] != -1 || is_joined[k] != 0) continue;
    const Term& term = graph.terms()[k];
    const auto place = [&](TermIndex index) { return index < 0 ? 0 : place_of_[static_cast<std::size_t>(index)]; };
    const auto [a, b, c] = read_by(k);
    Instruction instruction{term.operation, Then::nothing, 0, place(a), place(b), place(c)};
    if (joined[k] >= 0) {
      instruction.operation = graph[joined[k]].operation;
      instruction.then = then_of(term.operation, joined[k] == term.a);
    }
    // The result may take the register of an argument that is read for the last time.
    for (const TermIndex argument : {a, b, c}) {
      if (argument < 0) continue;
      const auto of = static_cast<std::size_t>(argument);
      if (is_operation[of] == 0 || last_use[of] != k) continue;
      free.push_back(place_of_[of]);
      is_operation[of] = 0;
    }
    if (free.empty()) free.push_back(registers_++);
    place_of_[k] = free.back();
    free.pop_back();
    is_operation[k] = 1;
    instructions_.push_back(instruction);
    instructions_.back().result = place_of_[k];
  }
}

template <class Number, int Lanes>
std::vector<Number> TermTape::registers() const {
  std::vector<Number> values(static_cast<std::size_t>(registers_) * Lanes, 0);
  for (std::size_t k = 0; k < constants_.size(); ++k)
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(k * Lanes), Lanes, static_cast<Number>(constants_[k]));
  return values;
}

template <class Number, int Lanes>
void TermTape::run_joined(const Instruction& instruction, Number* values) {
  const auto at = [&](std::int32_t place) { return values + static_cast<std::ptrdiff_t>(place) * Lanes; };
  Number* const result = at(instruction.result);
  const Number *const a = at(instruction.a), *const b = at(instruction.b), *const c = at(instruction.c);
  const auto each = [&](const auto& body) { for_lanes<Number, Lanes>(result, body); };
  const auto after = [&](const auto& first) {
    switch (instruction.then) {
      case Then::add:
        return each([&](int k) { return first(a[k], b[k]) + c[k]; });
      case Then::subtract:
        return each([&](int k) { return first(a[k], b[k]) - c[k]; });
      case Then::subtract_from:
        return each([&](int k) { return c[k] - first(a[k], b[k]); });
      case Then::multiply:
        return each([&](int k) { return first(a[k], b[k]) * c[k]; });
      case Then::divide:
        return each([&](int k) { return first(a[k], b[k]) / c[k]; });
      default:
        return each([&](int k) { return c[k] / first(a[k], b[k]); });
    }
  };
  if (instruction.operation == Operation::add) return after([](Number x, Number y) { return x + y; });
  if (instruction.operation == Operation::subtract) return after([](Number x, Number y) { return x - y; });
  after([](Number x, Number y) { return x * y; });
}

template <class Number, int Lanes>
void TermTape::run(std::span<Number> registers) const {
  Number* const values = registers.data();
  for (const Instruction& instruction : instructions_) {
    Number* const result = values + static_cast<std::ptrdiff_t>(instruction.result) * Lanes;
    const Number* const a = values + static_cast<std::ptrdiff_t>(instruction.a) * Lanes;
    const Number* const b = values + static_cast<std::ptrdiff_t>(instruction.b) * Lanes;
    const Number* const c = values + static_cast<std::ptrdiff_t>(instruction.c) * Lanes;
    const auto each = [&](const auto& body) { for_lanes<Number, Lanes>(result, body); };
    if (instruction.then != Then::nothing) {
      run_joined<Number, Lanes>(instruction, values);
      continue;
    }
    switch (instruction.operation) {
      case Operation::negate:
        each([&](int k) { return -a[k]; });
        break;
      case Operation::add:
        each([&](int k) { return a[k] + b[k]; });
        break;
      case Operation::subtract:
        each([&](int k) { return a[k] - b[k]; });
        break;
      case Operation::multiply:
        each([&](int k) { return a[k] * b[k]; });
        break;
      case Operation::divide:
        each([&](int k) { return a[k] / b[k]; });
        break;
      case Operation::exp:
        each([&](int k) { return std::exp(a[k]); });
        break;
      case Operation::log:
        each([&](int k) { return std::log(a[k]); });
        break;
      case Operation::sqrt:
        each([&](int k) { return std::sqrt(a[k]); });
        break;
      case Operation::power:
        each([&](int k) { return std::pow(a[k], b[k]); });
        break;
      case Operation::less:
        each([&](int k) -> Number { return a[k] < b[k] ? 1 : 0; });
        break;
      case Operation::less_equal:
        each([&](int k) -> Number { return a[k] <= b[k] ? 1 : 0; });
        break;
      case Operation::select:
        each([&](int k) { return a[k] != 0 ? b[k] : c[k]; });
        break;
      default:
        each([&](int k) { return static_cast<Number>(apply_operation(instruction.operation, a[k], b[k], c[k])); });
    }
  }
}

template std::vector<double> TermTape::registers<double, 1>() const;
template std::vector<double> TermTape::registers<double, TermTape::wide_lanes>() const;
template std::vector<float> TermTape::registers<float, TermTape::wide_lanes>() const;
template void TermTape::run<double, 1>(std::span<double>) const;
template void TermTape::run<double, TermTape::wide_lanes>(std::span<double>) const;
template void TermTape::run<float, TermTape::wide_lanes>(std::span<float>) const;

}  // namespace cardiowarp
