#pragma once
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

enum class StimulusEdge;
struct Mesh;
struct Where;

// Where a stimulus acts. build_problem() asks once for each stimulus of the configuration, before anything is computed.
// A stimulus that is on adds its amplitude times the share of a node to φ' of that node. With weighted shares the
// stimulated volume of a box or sphere does not depend on how fine the mesh is.

/// The nodes where a stimulus acts and how much of it each has.
struct StimulatedNodes {
  std::vector<Index> nodes;  ///< ascending
  std::vector<Real> share;   ///< [nodes] above 0, at most 1
};

/// The nodes that `where` stimulates. With StimulusEdge::nodes these are the nodes of select_nodes(), each with all of
/// the stimulus. With StimulusEdge::weighted a node has as much of it as `where` has of the node's dual cell, the
/// quarter of each tetrahedron around it that is nearest to it in barycentric coordinates: the stimulated volume is
/// then that of the box, sphere or region itself, where whole nodes make it larger by half an edge on each face. The
/// nodes of a surface or of a .vtx file have no volume to share and count whole. Coordinates of the heart are those of
/// whole elements. Throws InputError as select_nodes() does.
StimulatedNodes stimulated_nodes(const Mesh& mesh, const Where& where, StimulusEdge edge);

}  // namespace cardiowarp
