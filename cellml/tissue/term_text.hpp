#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cellml/term_graph.hpp"

namespace cardiowarp {

/// A number as a literal of C++, with all its digits.
std::string literal_text(double value);

/// The functions that the lines of TermText call, beside those of <cmath>.
extern const char* const term_functions;

/// Terms as lines of C++, each `const double tN = ..;` with N the term's number.
class TermText {
 public:
  explicit TermText(const TermGraph& graph) : graph_(graph), names_(graph.terms().size()) {}

  /// Gives a term its text from here on: a variable or an element of an array.
  void name(TermIndex term, std::string text) { names_[static_cast<std::size_t>(term)] = std::move(text); }
  /// The lines that compute `terms`, which ascend: each has arguments that are constant, named or before it.
  std::string lines(std::span<const TermIndex> terms, const char* indent);
  /// A term that is constant, named or computed by lines before, as an operand.
  std::string operator()(TermIndex term) const;

 private:
  std::string expression(const Term& term) const;
  std::string power(const std::string& a, TermIndex b) const;

  const TermGraph& graph_;
  std::vector<std::string> names_;
};

}  // namespace cardiowarp
