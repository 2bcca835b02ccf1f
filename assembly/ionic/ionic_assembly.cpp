#include "assembly/ionic/ionic_assembly.hpp"

namespace cardiowarp {

std::vector<const IonicModel*> models_of(std::span<const IonicCell> cells) {
  std::vector<const IonicModel*> models;
  for (const IonicCell& cell : cells)
    if (std::ranges::find(models, cell.model) == models.end()) models.push_back(cell.model);
  return models;
}

std::vector<Index> points_of_model(const VertexPoints& points, std::span<const IonicCell> cells,
                                   const IonicModel& model) {
  std::vector<Index> of_model;
  for (Index point = 0; point < points.points(); ++point)
    if (cells[points.cell_model[point]].model == &model) of_model.push_back(point);
  return of_model;
}

std::vector<Index> nodes_of_points(const VertexPoints& points) {
  std::vector<Index> nodes(static_cast<std::size_t>(points.points()));
  for (Index node = 0; node + 1 < static_cast<Index>(points.begin.size()); ++node)
    for (Index point = points.begin[node]; point < points.begin[node + 1]; ++point) nodes[point] = node;
  return nodes;
}

}  // namespace cardiowarp
