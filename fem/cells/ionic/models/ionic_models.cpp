#include "fem/cells/ionic/models/ionic_models.hpp"

#include <array>
#include <span>
#include <tuple>

#include "fem/cells/ionic/built_in.hpp"
#include "fem/cells/ionic_model.hpp"

namespace cardiowarp {
namespace {

template <IonicCellModel... Models>
std::span<const IonicModel* const> made(IonicModelList<Models...> /*all*/) {
  static const std::tuple<BuiltInIonicModel<Models>...> models;
  static const std::array<const IonicModel*, sizeof...(Models)> pointers{
      &std::get<BuiltInIonicModel<Models>>(models)...};
  return pointers;
}

}  // namespace

std::span<const IonicModel* const> ionic_models() { return made(IonicModels{}); }

}  // namespace cardiowarp
