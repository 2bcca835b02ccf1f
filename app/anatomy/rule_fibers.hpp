#pragma once
#include <string>
#include <vector>

#include "app/anatomy/heart_fields.hpp"
#include "app/anatomy/heart_surfaces.hpp"
#include "app/config/fiber_rule.hpp"
#include "fem/anatomy/axes.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct FibersConfig;
struct Mesh;

// Fibers by rule on a mesh: Laplace's equation is solved between the surfaces of the heart, each element gets the
// directions that the rule makes of the fields in its middle, and elements where the fields have no slope get those of
// their neighbors. Everything is computed on the CPU, so that a run on a GPU has the same fibers to the last bit. For
// each element it takes 72 bytes for the directions, 24 for each gradient, and meanwhile what a solve takes.

/// The fibers that the rule has made of a mesh, and what was found on the way.
struct RuleFibers {
  std::vector<Axes> axes;  ///< [elements]
  HeartSurfaces surfaces;  ///< with the apex, where it was to be found
  HeartFields fields;
  Index filled = 0;         ///< elements that have the directions of their neighbors
  Index first_filled = -1;  ///< the first of these
};

/// Fibers of a checked mesh. `place` is where the rule is asked for. Throws InputError as surfaces_of_heart() does,
/// where Laplace's equation cannot be solved, and where an element has no direction and no neighbor with one.
RuleFibers rule_fibers(const Mesh& mesh, const FiberRuleConfig& rule, const std::string& place);

/// Lines for the user on such fibers: the rule with its angles, the surfaces, the elements without directions.
std::vector<std::string> in_words(const RuleFibers& fibers, const FiberRuleConfig& rule);

}  // namespace cardiowarp
