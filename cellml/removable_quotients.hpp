#pragma once
#include <functional>
#include <span>
#include <vector>

#include "cellml/term_graph.hpp"

namespace cardiowarp {

/// Copies what `roots` need of a graph into `into`, each leaf as `leaf_of` says, and returns the roots there.
///
/// Products and quotients in which f / (exp u − 1) stands, where f and u are linear in the potential and vanish at the
/// same potential, are written with exp_quotient instead, which has no 0 / 0: f / (exp u − 1) = (f / u) · u / (exp u −
/// 1). Quotients (exp u − 1) / f are replaced, too. Whether both vanish at one potential is tried with `parameters` and
/// with these numbers changed, so that it is no accident of their values.
std::vector<TermIndex> copied_without_removable_quotients(TermGraph& from, std::span<const TermIndex> roots,
                                                          std::span<const double> parameters, TermGraph& into,
                                                          const std::function<TermIndex(const Term&)>& leaf_of);

}  // namespace cardiowarp
