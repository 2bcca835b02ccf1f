#include "app/petsc/subdomain.hpp"

#include <algorithm>
#include <numeric>

#include "app/simulation/select_tissue.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

Subdomain subdomain_of(const Problem& whole, Index begin, Index end) {
  Subdomain subdomain;
  subdomain.own_nodes = end - begin;
  const auto own = [&](Index node) { return begin <= node && node < end; };

  const std::vector<Tetrahedron>& tetrahedra = whole.mesh->tetrahedra;
  std::vector<Index> elements, ghosts;
  for (Index element = 0; element < static_cast<Index>(tetrahedra.size()); ++element) {
    const Tetrahedron& nodes = tetrahedra[element];
    if (std::none_of(nodes.begin(), nodes.end(), own)) continue;
    elements.push_back(element);
    std::remove_copy_if(nodes.begin(), nodes.end(), std::back_inserter(ghosts), own);
  }
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());

  subdomain.node_in_whole.resize(subdomain.own_nodes);
  std::iota(subdomain.node_in_whole.begin(), subdomain.node_in_whole.end(), begin);
  subdomain.node_in_whole.insert(subdomain.node_in_whole.end(), ghosts.begin(), ghosts.end());

  subdomain.problem = {select_tissue(whole, subdomain.node_in_whole, elements), static_cast<const Methods&>(whole)};
  return subdomain;
}

}  // namespace cardiowarp
