#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

enum class OutputFormat;
struct Config;

// The names of the files of frames, and how the list is written by which programs open them. There is one layout for
// each `output.format`: `vtu` has a file a frame with the mesh in it and lists them in potential.pvd; `ensight`,
// EnSight Gold binary, has the mesh once, a file a frame for each field, and lists the times in potential.case. A
// layout knows names and texts and no mesh, so that a run can be refused by it before a mesh is read; a FrameWriter
// fills the files.

/// The fields that frames have.
struct FrameFields {
  bool potential = true;
  std::vector<std::string> states = {};  ///< of the cell model, by name
  bool phi_e = false;                    ///< behind the potential
};
FrameFields fields_in_frames(const Config& config);

/// A time in a list, with 15 digits: 3 steps of 0.1 ms are 0.3, not 0.30000000000000004.
std::string time_in_digits(Real time_ms);

/// The files of frames by their names in the output folder.
class FrameLayout {
 public:
  virtual ~FrameLayout() = default;
  FrameLayout() = default;
  FrameLayout(const FrameLayout&) = delete;
  FrameLayout& operator=(const FrameLayout&) = delete;

  virtual std::string list_file() const = 0;                                            ///< `potential.pvd`
  virtual std::vector<std::string> files_of(std::size_t number) const = 0;              ///< of a frame
  virtual std::vector<std::string> common_files() const = 0;                            ///< of all frames together
  virtual std::string line_of(std::size_t number, Real time_ms) const = 0;              ///< of a frame in the list
  virtual std::string list_of(std::size_t frames, const std::string& lines) const = 0;  ///< the text of the list
};

/// The layout of a format (frame_formats.cpp).
std::unique_ptr<FrameLayout> frame_layout(OutputFormat format, const FrameFields& fields);
/// The layout of the frames of a configuration.
std::unique_ptr<FrameLayout> frame_layout(const Config& config);
/// The layouts of all formats, with all fields that any run has.
std::vector<std::unique_ptr<FrameLayout>> all_frame_layouts();

}  // namespace cardiowarp
