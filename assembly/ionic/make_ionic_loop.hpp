#pragma once
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "assembly/ionic/ionic_loop.hpp"
#include "fem/cells/ionic/models/ionic_models.hpp"

namespace cardiowarp {

/// The loop of a model of ionic_cell.hpp. It is compiled, for each model and backend, in a source of its own.
template <Backend B, class Cell>
std::unique_ptr<IonicLoop<B>> make_ionic_loop_of(B& backend, const IonicModel& model, std::span<const IonicCell> cells,
                                                 const Scaling& scaling);

/// The text of make_ionic_loop(), which only the sources include that compile it for a backend.
template <Backend B, class... Models>
std::unique_ptr<IonicLoop<B>> make_ionic_loop_of_one(B& backend, const IonicModel& model,
                                                     std::span<const IonicCell> cells, const Scaling& scaling,
                                                     IonicModelList<Models...> /*all*/) {
  std::unique_ptr<IonicLoop<B>> loop;
  const auto is_made = [&]<class Cell>(std::type_identity<Cell> /*of*/) {
    if (Cell::name == model.name()) loop = make_ionic_loop_of<B, Cell>(backend, model, cells, scaling);
    return loop != nullptr;
  };
  if (!(is_made(std::type_identity<Models>{}) || ...)) throw std::logic_error("an ionic model without a loop");
  return loop;
}

template <Backend B>
std::unique_ptr<IonicLoop<B>> make_ionic_loop(B& backend, const IonicModel& model, std::span<const IonicCell> cells,
                                              const Scaling& scaling) {
  return make_ionic_loop_of_one(backend, model, cells, scaling, IonicModels{});
}

}  // namespace cardiowarp
