#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cellml/term_graph.hpp"

namespace cardiowarp {

// The operations of MathML that CellML 1.0, 1.1 and 2.0 allow, out of those of the graph: sec x is 1 / cos x, a > b is
// b < a, and so on.

/// The value of an element that is a number by itself: pi, exponentiale, true, false, infinity, notanumber.
std::optional<double> mathml_constant(std::string_view name);

/// Throws InputError where `name` is no operation, with the nearest valid name, or takes another number of arguments.
void require_arguments(const std::string& name, std::size_t arguments);

/// The term of the operation. `root` may have a degree and `log` a base as a second argument.
TermIndex operation_term(TermGraph& graph, const std::string& name, std::span<const TermIndex> arguments);

}  // namespace cardiowarp
