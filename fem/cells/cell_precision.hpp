#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fem/cells/ionic_model.hpp"

namespace cardiowarp {

/// In which numbers the equations of ionic cells are evaluated (ionic/ionic_stage.hpp). The states, the potential, the
/// sums over the elements and the residual are in double precision in either case: with `single`, what a stage changes
/// of the states and its ionic current have relative errors of some 1e-7, which do not add up over beats.
enum class CellPrecision {
  automatic,  ///< single on a GPU, double on the CPU
  double_precision,
  single
};

/// The names of the precisions in YAML and in results.
inline constexpr std::array<std::pair<std::string_view, CellPrecision>, 3> cell_precisions{
    {{"auto", CellPrecision::automatic},
     {"double", CellPrecision::double_precision},
     {"single", CellPrecision::single}}};

constexpr std::string_view name_of(CellPrecision precision) {
  for (const auto& [name, named] : cell_precisions)
    if (named == precision) return name;
  return {};
}

/// Whether cells of this precision are evaluated in single precision on such a machine.
constexpr bool is_single(CellPrecision precision, bool on_gpu) {
  return precision == CellPrecision::single || (precision == CellPrecision::automatic && on_gpu);
}

/// A model of the program in one precision. Each model is there in all three, with one name and the same tables;
/// ionic_models() lists the automatic ones.
class ModelInPrecision : public IonicModel {
 public:
  CellPrecision precision() const { return precision_; }

 protected:
  ModelInPrecision(CellPrecision precision, std::string name, std::vector<CellState> states,
                   std::vector<ParameterDescription> parameters, std::vector<Set> sets)
      : IonicModel(std::move(name), std::move(states), std::move(parameters), std::move(sets)), precision_(precision) {}

 private:
  CellPrecision precision_;
};

/// The precision of a model; double of one that is made at run time.
inline CellPrecision precision_of(const IonicModel& model) {
  const auto* made = dynamic_cast<const ModelInPrecision*>(&model);
  return made ? made->precision() : CellPrecision::double_precision;
}

/// The model in another precision; itself where it is made at run time.
const IonicModel& in_precision(const IonicModel& model, CellPrecision precision);

/// The cell of this model in another precision.
inline IonicCell in_precision(IonicCell cell, CellPrecision precision) {
  cell.model = &in_precision(*cell.model, precision);
  return cell;
}

}  // namespace cardiowarp
