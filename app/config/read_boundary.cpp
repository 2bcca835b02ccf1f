#include "app/config/read_boundary.hpp"

#include <utility>

#include "app/config/quantity.hpp"
#include "app/config/read_where.hpp"

namespace cardiowarp {

std::vector<BoundaryConfig> read_boundary(const YamlReader& in, const Range& potential) {
  std::vector<BoundaryConfig> boundary;
  for (const YamlReader& entry : in.entries()) {
    entry.expect_keys({"where", "potential"});
    BoundaryConfig prescribed;
    prescribed.where = read_where(entry["where"], {"surface", "tag", "box", "sphere", "nodes"});
    prescribed.potential_mv = entry["potential"].number(potential_quantity, potential);
    boundary.push_back(std::move(prescribed));
  }
  return boundary;
}

}  // namespace cardiowarp
