#include "app/output/vtu_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "app/output/extracellular_field.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

class VtuLayout final : public FrameLayout {
 public:
  std::string list_file() const override { return "potential.pvd"; }
  std::vector<std::string> files_of(std::size_t number) const override {
    return {fmt::format("frames/potential_{:06}.vtu", number)};
  }
  std::vector<std::string> common_files() const override { return {}; }
  std::string line_of(std::size_t number, Real time_ms) const override {
    return fmt::format("    <DataSet timestep=\"{}\" file=\"{}\"/>\n", time_in_digits(time_ms),
                       files_of(number).front());
  }
  std::string list_of(std::size_t /*frames*/, const std::string& lines) const override {
    return "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n" + lines +
           "  </Collection>\n</VTKFile>\n";
  }
};

struct VtuFormat {
  VtuGrid& grid;
  FrameFields fields;
  std::vector<std::size_t> state_numbers;
  bool in_single;
  std::unique_ptr<FrameLayout> layout;
  std::shared_ptr<ExtracellularPotential> extracellular;

  bool takes_potential() const { return fields.potential || fields.phi_e; }
};

/// Values in double precision are waited for. In single precision the potential is sent on its way, and states are
/// rounded when they are written.
class VtuFrame final : public Frame {
 public:
  explicit VtuFrame(const VtuFormat& format)
      : format_(format),
        potential_mv_(format.takes_potential() && !format.in_single ? format.grid.mesh().nodes.size() : 0),
        states_(format.state_numbers.size(), std::vector<Real>(format.grid.mesh().tetrahedra.size())),
        singles_(format.in_single ? states_.size() : 0, std::vector<float>(format.grid.mesh().tetrahedra.size())),
        phi_e_(format.extracellular, format.grid.mesh().nodes.size()) {}

  void take(Simulation& simulation, std::size_t number, Real time_ms) override {
    if (format_.takes_potential()) {
      if (format_.in_single)
        simulation.send_potential_mv(sent_mv_, format_.grid.mesh().nodes.size());
      else
        simulation.potential_mv(potential_mv_);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) simulation.state(format_.state_numbers[i], states_[i]);
    file_ = format_.layout->files_of(number).front();
    number_ = number;
    time_ms_ = time_ms;
  }

  void await() override {
    if (sent_mv_) sent_mv_->await();
  }

  std::vector<FileMark> write(const std::filesystem::path& directory) override {
    VtuArrays arrays{.of_points = {}, .of_cells = {}, .time_ms = time_ms_};
    if (format_.fields.potential) arrays.of_points.push_back(potential());
    if (!phi_e_.empty()) arrays.of_points.push_back(phi_e());
    for (std::size_t i = 0; i < states_.size(); ++i) arrays.of_cells.push_back(state(i));
    return {format_.grid.write(directory / file_, arrays, blocks_)};
  }

 private:
  VtuArray potential() const {
    if (format_.in_single) return {"potential", sent_mv_->values()};
    return {"potential", std::span<const Real>(potential_mv_)};
  }
  VtuArray phi_e() {
    if (!format_.in_single) {
      phi_e_.solve(std::span<const Real>(potential_mv_), number_);
      return {"phi_e", phi_e_.values()};
    }
    phi_e_.solve(sent_mv_->values(), number_);
    return {"phi_e", phi_e_.singles()};
  }
  VtuArray state(std::size_t i) {
    if (!format_.in_single) return {format_.fields.states[i], std::span<const Real>(states_[i])};
    std::ranges::transform(states_[i], singles_[i].begin(), [](Real value) { return static_cast<float>(value); });
    return {format_.fields.states[i], std::span<const float>(singles_[i])};
  }

  const VtuFormat& format_;
  std::vector<Real> potential_mv_;            ///< in double precision
  std::unique_ptr<SinglesUnderWay> sent_mv_;  ///< in single precision
  std::vector<std::vector<Real>> states_;
  std::vector<std::vector<float>> singles_;  ///< of these
  ExtracellularField phi_e_;
  std::string file_;
  std::size_t number_ = 0;
  Real time_ms_ = 0;
  VtuBlocks blocks_;
};

class VtuFrames final : public FrameWriter {
 public:
  explicit VtuFrames(VtuFormat format) : format_(std::move(format)) {}

  const FrameLayout& layout() const override { return *format_.layout; }
  std::unique_ptr<Frame> make_frame() override { return std::make_unique<VtuFrame>(format_); }
  bool needs_first_frame_anew(const std::filesystem::path& /*directory*/,
                              const std::function<bool(const std::string&)>& is_whole) override {
    return !std::ranges::all_of(layout().files_of(0), is_whole);
  }

 private:
  VtuFormat format_;
};

}  // namespace

std::unique_ptr<FrameLayout> make_vtu_layout(const FrameFields&) { return std::make_unique<VtuLayout>(); }

std::unique_ptr<FrameWriter> make_vtu_frames(VtuGrid& grid, const FrameFields& fields, std::vector<std::size_t> states,
                                             bool in_single, std::shared_ptr<ExtracellularPotential> extracellular) {
  return std::make_unique<VtuFrames>(
      VtuFormat{grid, fields, std::move(states), in_single, make_vtu_layout(fields), std::move(extracellular)});
}

}  // namespace cardiowarp
