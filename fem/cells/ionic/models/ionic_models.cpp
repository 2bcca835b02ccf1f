#include "fem/cells/ionic/models/ionic_models.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "fem/cells/cell_precision.hpp"
#include "fem/cells/ionic/built_in.hpp"

namespace cardiowarp {
namespace {

template <CellPrecision Precision, IonicCellModel... Models>
std::span<const IonicModel* const> made(IonicModelList<Models...> /*all*/) {
  static const std::tuple<BuiltInIonicModel<Models>...> models{((void)sizeof(Models), Precision)...};
  static const std::array<const IonicModel*, sizeof...(Models)> pointers{
      &std::get<BuiltInIonicModel<Models>>(models)...};
  return pointers;
}

std::span<const IonicModel* const> models_in(CellPrecision precision) {
  switch (precision) {
    case CellPrecision::double_precision:
      return made<CellPrecision::double_precision>(IonicModels{});
    case CellPrecision::single:
      return made<CellPrecision::single>(IonicModels{});
    case CellPrecision::automatic:
      break;
  }
  return made<CellPrecision::automatic>(IonicModels{});
}

}  // namespace

std::span<const IonicModel* const> ionic_models() { return models_in(CellPrecision::automatic); }

const IonicModel& in_precision(const IonicModel& model, CellPrecision precision) {
  if (!dynamic_cast<const ModelInPrecision*>(&model)) return model;
  return **std::ranges::find(models_in(precision), model.name(), &IonicModel::name);
}

}  // namespace cardiowarp
