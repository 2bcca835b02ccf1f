#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cellml/term_graph.hpp"

namespace cardiowarp {

/// Some terms of a graph as a list of instructions, to be evaluated again and again, for one cell or for `lanes` cells
/// side by side. Parameters are numbers of the tape: whatever depends on them alone is computed once. A register is
/// used again when its number is not needed any more, so that those of 32 cells of a large model stay in a processor's
/// cache.
class TermTape {
 public:
  /// `outputs` are the terms that are wanted, in this order. The parameters of `varying` are inputs, as states are:
  /// those that are not the same in all cells.
  TermTape(const TermGraph& graph, std::span<const TermIndex> outputs, std::span<const double> parameters,
           std::span<const int> varying = {});

  /// The registers of `lanes` cells, with all constants in place.
  template <class Number, int Lanes>
  std::vector<Number> registers() const;

  /// Where `run` finds the inputs, [lanes] each, in the registers: of the potential, time and stimulus, and of states
  /// by number. Below 0 where no output needs it.
  std::int32_t potential() const { return potential_; }
  std::int32_t time() const { return time_; }
  std::int32_t stimulus() const { return stimulus_; }
  std::int32_t state(std::size_t number) const { return number < states_.size() ? states_[number] : -1; }
  std::int32_t parameter(std::size_t number) const { return number < varying_.size() ? varying_[number] : -1; }
  /// The register of an output after `run`.
  std::int32_t output(std::size_t number) const { return outputs_[number]; }
  std::size_t instructions() const { return instructions_.size(); }

  /// Computes all outputs from the inputs in `registers`. Made for float and double, one lane or `wide_lanes`.
  template <class Number, int Lanes>
  void run(std::span<Number> registers) const;

  static constexpr int wide_lanes = 32;

 private:
  /// An operation on the result of a sum, a difference or a product before it is stored. A number that is used once
  /// need not go through a register on its way, which is half the time of a sum.
  enum class Then : std::uint8_t { nothing, add, subtract, subtract_from, multiply, divide, divide_from };

  struct Instruction {
    Operation operation;
    Then then;  ///< with c; `subtract_from` is c − (a · b)
    std::int32_t result, a, b, c;
  };

  std::int32_t* input_place(const Term& term, std::span<const int> varying);
  void place_inputs_and_constants(const TermGraph& graph, const std::vector<char>& needed,
                                  std::span<const double> parameters, std::span<const int> varying);
  void place_operations(const TermGraph& graph, const std::vector<char>& needed, std::span<const TermIndex> outputs);
  std::vector<TermIndex> joined_arguments(const TermGraph& graph, const std::vector<char>& needed,
                                          std::span<const TermIndex> outputs) const;
  /// The operation whose left or right argument is joined.
  static Then then_of(Operation operation, bool is_left);
  template <class Number, int Lanes>
  static void run_joined(const Instruction& instruction, Number* values);

  std::vector<Instruction> instructions_;
  std::vector<double> constants_;  ///< [register] of the first registers; 0 where one is an input
  std::int32_t registers_ = 0;
  std::int32_t potential_ = -1, time_ = -1, stimulus_ = -1;
  std::vector<std::int32_t> states_, varying_, outputs_;
  std::vector<std::int32_t> place_of_;      ///< [term] while the tape is made
  std::vector<double> constants_of_terms_;  ///< [term] while the tape is made
};

}  // namespace cardiowarp
