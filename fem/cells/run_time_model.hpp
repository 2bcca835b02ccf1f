#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fem/cells/ionic_model.hpp"
#include "fem/cells/stage_text.hpp"

namespace cardiowarp {

class AnyCell;

// Ionic cell models that are made while the program runs, out of a CellML file. No compiler has made a loop over their
// cells for them. Such a model computes stages of 32 cells side by side instead: arrays of numbers, [state][lane], so
// that each operation of its formulas is looked up once for 32 cells, or gives a text that is compiled for a GPU. The
// loops over the cells of a tissue are assembly/ionic/run_time_loop.hpp and run_time_gpu_loop.cuh, and the model of a
// CellML file is cellml/tissue/tissue_model.hpp.

/// Stages of backward Euler of 32 cells of one model (fem/cells/ionic/ionic_stage.hpp), with the memory that they need.
/// A thread has one of its own. Lanes that are not wanted have to be filled, too, best with a cell that is.
class LaneStage {
 public:
  static constexpr int lanes = 32;

  explicit LaneStage(std::size_t number_of_states)
      : old(number_of_states * lanes), states(number_of_states * lanes), number_of_states_(number_of_states) {}
  LaneStage(const LaneStage&) = delete;
  LaneStage& operator=(const LaneStage&) = delete;
  virtual ~LaneStage() = default;

  /// Another stage like this one, for a further thread.
  virtual std::unique_ptr<LaneStage> another() const = 0;
  /// The stages of length h ms of the cells below.
  virtual void run(Real h) = 0;

  std::size_t number_of_states() const { return number_of_states_; }
  /// All lanes get what lane 0 has.
  void fill_from_first_lane(int begin = 1);

  std::array<std::uint16_t, lanes> cell{};  ///< index into the cells that the LaneStage was made for
  std::array<Real, lanes> potential_mv{};   ///< at the end of the stage
  std::vector<Real> old;                    ///< [state][lane] at its beginning
  std::vector<Real> states;                 ///< [state][lane] out: at its end
  std::array<Real, lanes> current{};        ///< out: I in mV/ms, NaN where the stage has no solution
  std::array<Real, lanes> slope{};          ///< out: dI/dV in 1/ms, with states that follow V; NaN likewise

 private:
  std::size_t number_of_states_;
};

/// Where a model comes from.
struct ModelOrigin {
  std::filesystem::path file;
  std::string potential, stimulus;  ///< how a user has named these; empty where the file tells
  std::string checksum;             ///< of all equations and initial values, but not of the parameters' values
};

/// A model that is made at run time.
class RunTimeModel : public IonicModel {
 public:
  const ModelOrigin& origin() const { return origin_; }

  /// Stages of cells of this model. `cells` may hold others, too, of which no lane may be.
  virtual std::unique_ptr<LaneStage> lane_stage(std::span<const IonicCell> cells) const = 0;
  /// The stages as text for a GPU's compiler, with numbers [cell] also for those of other models.
  virtual StageText stage_text(std::span<const IonicCell> cells) const = 0;
  /// The name in parameters() of what a user calls `word`: that name, the part behind its dot or an annotation. Empty
  /// where there is none, or more than one.
  virtual std::string_view parameter_called(std::string_view word) const = 0;

  IonicCurrent stage(const IonicCell& cell, Real V, const Real* old, Real h, Real* states) const final;

 protected:
  RunTimeModel(std::string name, std::vector<CellState> states, std::vector<ParameterDescription> parameters, Set set,
               ModelOrigin origin);

 private:
  ModelOrigin origin_;
  mutable std::mutex mutex_;
  mutable std::vector<Real> last_parameters_;  ///< of the cell whose stage was asked for last
  mutable std::unique_ptr<LaneStage> last_stage_;
};

/// The model as one that is made at run time; null for one that the program has built in.
const RunTimeModel* run_time_model(const IonicModel& model);
/// The model of a cell; null also for models that are not ionic.
const RunTimeModel* run_time_model_of(const AnyCell& cell);

}  // namespace cardiowarp
