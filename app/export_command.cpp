#include "app/export_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "app/files/result_file.hpp"
#include "app/output/listed_frames.hpp"
#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "app/report/film_frames.hpp"
#include "fem/filament.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/suffix.hpp"
#include "meshes/vtu_array.hpp"

namespace cardiowarp {
namespace {

void require_one_number(const VtuValues& array, const std::string& field, const std::string& output) {
  if (array.components != 1)
    throw InputError(fmt::format("--field: expected an array with one number a place for {}, got '{}' with {}", output,
                                 field, array.components));
}

/// One line a value, in the order of the nodes or elements, as openCARP has it.
std::string dat_text(const VtuValues& array) {
  std::string text;
  for (const Real value : array.values) text += fmt::format("{}\n", value);
  return text;
}

std::string csv_text(const VtuValues& array, const std::string& field) {
  std::string text = "x,y,z";
  for (int k = 0; k < array.components; ++k)
    text += array.components == 1 ? "," + field : fmt::format(",{}_{}", field, "xyz"[k % 3]);
  text += "\n";
  for (std::size_t place = 0; place < array.places.size(); ++place) {
    const Vector3& p = array.places[place];
    text += fmt::format("{},{},{}", p.x, p.y, p.z);
    for (int k = 0; k < array.components; ++k)
      text += fmt::format(
          ",{}", array.values[place * static_cast<std::size_t>(array.components) + static_cast<std::size_t>(k)]);
    text += "\n";
  }
  return text;
}

void append_singles(std::string& bytes, const std::vector<Real>& values) {
  static_assert(std::endian::native == std::endian::little);
  for (const Real value : values) {
    const auto single = static_cast<float>(value);
    char raw[sizeof(float)];
    std::memcpy(raw, &single, sizeof(float));
    bytes.append(raw, sizeof(float));
  }
}

/// Frames whose times are not those that the format makes of the first and the last are told.
void warn_of_uneven(const std::vector<Real>& times_ms) {
  const auto last = static_cast<Real>(times_ms.size() - 1);
  for (std::size_t k = 0; k < times_ms.size(); ++k) {
    const Real even =
        last == 0 ? times_ms[0] : times_ms[0] + static_cast<Real>(k) / last * (times_ms.back() - times_ms[0]);
    if (std::fabs(times_ms[k] - even) <= 1e-6 * (1 + times_ms.back())) continue;
    log_warn("frame {} is of {:.6g} ms, and .igb has frames of equal distance: there it is of {:.6g} ms", k,
             times_ms[k], even);
    return;
  }
}

std::string igb_bytes(const std::vector<ListedFrame>& files, const std::string& field) {
  std::string values;
  std::vector<Real> times_ms;
  std::size_t nodes = 0;
  for (const auto& [time_ms, file] : files) {
    const VtuValues array = read_vtu_array(file, field);
    require_one_number(array, field, ".igb");
    if (array.of_cells)
      throw InputError(fmt::format("--field: expected an array of nodes for .igb, got '{}' of elements", field));
    if (times_ms.empty()) nodes = array.values.size();
    if (array.values.size() != nodes)
      throw InputError(fmt::format("{}: expected {} nodes as in the first frame, got {}", file.string(), nodes,
                                   array.values.size()));
    append_singles(values, array.values);
    times_ms.push_back(time_ms);
  }
  warn_of_uneven(times_ms);
  return igb_head(nodes, times_ms, field == "potential" ? "mV" : "ms") + values;
}

/// The lines about which waves turn, of each frame and the next one, whose time is halfway between.
std::string filaments_text(const std::filesystem::path& list, std::size_t& number) {
  constexpr Real level_mv = -30;
  if (list.filename() != "potential.pvd" && list.filename() != "potential.case")
    throw InputError(fmt::format("FILE: expected potential.pvd or potential.case of a run, got '{}'", list.string()));
  for (const std::filesystem::path& needed : {list, list.parent_path() / "maps.vtu"})
    if (!std::filesystem::is_regular_file(needed))
      throw InputError(fmt::format("FILE: expected a run's {} and maps.vtu beside each other, got no '{}'",
                                   list.filename().string(), needed.string()));
  const std::vector<ListedFrame> frames = film_frames(list.parent_path());
  if (frames.empty()) throw InputError(fmt::format("{}: expected frames with the potential", list.string()));
  const Mesh mesh = read_mesh(list.parent_path() / "maps.vtu");
  std::string text = "time_ms,x,y,z,length_mm\n";
  std::vector<Real> before;
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    std::vector<Real> above = potential_in(frames[frame].file, mesh.nodes.size());
    for (Real& mv : above) mv -= level_mv;
    if (frame > 0)
      for (const Filament& filament : filaments(mesh, before, above)) {
        const Vector3& p = filament.middle;
        text +=
            fmt::format("{:.6g},{:.4f},{:.4f},{:.4f},{:.4f}\n",
                        0.5 * (frames[frame - 1].time_ms + frames[frame].time_ms), p.x, p.y, p.z, filament.length_mm);
        ++number;
      }
    before = std::move(above);
  }
  return text;
}

}  // namespace

std::string igb_head(std::size_t nodes, const std::vector<Real>& times_ms, const std::string& unit) {
  std::string head = fmt::format("x:{} y:1 z:1 t:{} type:float systeme:little_endian\r\n", nodes, times_ms.size());
  head += fmt::format("org_t:{} dim_t:{} dim_x:{}\r\n", times_ms.front(), times_ms.back() - times_ms.front(), nodes);
  head += fmt::format("unites_x:um unites_y:um unites_z:um unites_t:ms unites:{} facteur:1 zero:0\r\n", unit);
  constexpr std::size_t bytes = 1024, line = 72;
  while (head.size() + line + 3 < bytes) head += std::string(line, ' ') + "\r\n";
  return head + std::string(bytes - 1 - head.size(), ' ') + '\f';
}

ExportCommand::ExportCommand(Command& program)
    : command_(program.add_command("export", "Write an array of maps or frames as text or in openCARP's formats")) {
  command_.add_option("FILE", input_, "maps.vtu, a frame, or potential.pvd for all frames", {.is_required = true});
  command_.add_option(
      "--field", field_,
      "Name of the array, e.g. activation_time, or filaments of potential.pvd as .csv: where waves turn",
      {.type = "NAME", .is_required = true});
  command_.add_option("--output", output_,
                      "Ends in .dat (a line a node, openCARP), .csv (with coordinates in mm), or .igb (meshalyzer)",
                      {.type = "FILE", .is_required = true});
}

ExitCode ExportCommand::run() const {
  const std::string kind = suffix_of(output_), of = suffix_of(input_);
  if (kind != ".dat" && kind != ".csv" && kind != ".igb")
    throw InputError(
        fmt::format("--output: expected a file name that ends in .dat, .csv or .igb, got '{}'", output_.string()));
  if (field_ == "filaments" && (of == ".pvd" || of == ".case") && kind == ".csv") {
    require_writable("--output", output_, {input_});
    std::size_t number = 0;
    write_file_atomically(output_, filaments_text(input_, number));
    print_report("{}: {} filaments\n", output_.string(), number);
    return ExitCode::done;
  }
  if (of != ".vtu" && !(of == ".pvd" && kind == ".igb"))
    throw InputError(
        fmt::format("FILE: expected a .vtu file{}, got '{}'", kind == ".igb" ? " or a .pvd" : "", input_.string()));
  require_writable("--output", output_, {input_});
  if (kind == ".igb") {
    const std::vector<ListedFrame> files =
        of == ".pvd" ? frames_listed_in(input_) : std::vector<ListedFrame>{{0, input_}};
    write_file_atomically(output_, igb_bytes(files, field_));
    print_report("{}: {} of {} frames\n", output_.string(), field_, files.size());
    return ExitCode::done;
  }
  const VtuValues array = read_vtu_array(input_, field_);
  if (kind == ".dat") require_one_number(array, field_, ".dat");
  write_file_atomically(output_, kind == ".dat" ? dat_text(array) : csv_text(array, field_));
  print_report("{}: {} of {} {}\n", output_.string(), field_, array.places.size(),
               array.of_cells ? "elements" : "nodes");
  return ExitCode::done;
}

}  // namespace cardiowarp
