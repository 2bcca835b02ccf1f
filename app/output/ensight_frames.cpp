#include "app/output/ensight_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/output/extracellular_field.hpp"
#include "app/output/finite_values.hpp"
#include "app/output/frame_files.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

class EnsightLayout final : public FrameLayout {
 public:
  explicit EnsightLayout(FrameFields fields) : fields_(std::move(fields)) {}

  std::string list_file() const override { return "potential.case"; }
  std::vector<std::string> files_of(std::size_t number) const override {
    return files_numbered(fmt::format("{:06}", number));
  }
  std::vector<std::string> common_files() const override {
    return {"frames/mesh.geo", "frames/fiber.element", "frames/region.element"};
  }
  /// One time a line: readers have short buffers for a line.
  std::string line_of(std::size_t /*number*/, Real time_ms) const override { return time_in_digits(time_ms) + "\n"; }
  std::string list_of(std::size_t frames, const std::string& lines) const override {
    std::string text =
        "FORMAT\ntype: ensight gold\n\nGEOMETRY\nmodel: frames/mesh.geo\n\nVARIABLE\n"
        "vector per element: fiber frames/fiber.element\nscalar per element: region frames/region.element\n";
    const std::vector<std::string> files = files_numbered("******");  // a star for each digit
    std::size_t file = 0;
    if (fields_.potential) text += fmt::format("scalar per node: 1 potential {}\n", files[file++]);
    if (fields_.phi_e) text += fmt::format("scalar per node: 1 phi_e {}\n", files[file++]);
    for (const std::string& state : fields_.states)
      text += fmt::format("scalar per element: 1 {} {}\n", state, files[file++]);
    text += fmt::format(
        "\nTIME\ntime set: 1\nnumber of steps: {}\nfilename start number: 0\nfilename increment: 1\ntime values:\n",
        frames);
    return text + lines;
  }

 private:
  std::vector<std::string> files_numbered(const std::string& number) const {
    std::vector<std::string> files;
    if (fields_.potential) files.push_back(fmt::format("frames/potential_{}.node", number));
    if (fields_.phi_e) files.push_back(fmt::format("frames/phi_e_{}.node", number));
    for (const std::string& state : fields_.states) files.push_back(fmt::format("frames/{}_{}.element", state, number));
    return files;
  }

  FrameFields fields_;
};

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "readers find out the order of bytes, and this is the usual");

// EnSight's "C binary": words of 80 bytes, and 32-bit numbers in the machine's order without counts of bytes around
// them. Nodes count from 1. All of a mesh is one part.
constexpr std::int32_t part = 1;

/// A file of that format, in pieces of a megabyte.
class BinaryFile {
 public:
  explicit BinaryFile(const fs::path& file) : file_(file), pending_(file) {}

  void word(std::string_view text) {
    std::array<char, 80> padded{};
    text.copy(padded.data(), padded.size());
    bytes({padded.data(), padded.size()});
  }
  void number(std::int32_t value) {
    numbers(1, [&](std::size_t) { return value; });
  }

  /// value_of(i) for i in [0, count): float or std::int32_t.
  template <class ValueOf>
  void numbers(std::size_t count, const ValueOf& value_of) {
    using Value = decltype(value_of(std::size_t{}));
    static_assert(sizeof(Value) == 4);
    std::array<Value, 256> some;
    for (std::size_t first = 0; first < count; first += some.size()) {
      const std::size_t number = std::min(some.size(), count - first);
      for (std::size_t i = 0; i < number; ++i) some[i] = value_of(first + i);
      bytes({reinterpret_cast<const char*>(some.data()), number * sizeof(Value)});
    }
  }
  /// Numbers that are in memory as in the file.
  void numbers(std::span<const float> values) {
    flush();
    write_all(pending_.descriptor(), {reinterpret_cast<const char*>(values.data()), values.size_bytes()}, file_);
  }

  void commit() {
    flush();
    pending_.commit();
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 20;

  void bytes(std::string_view more) {
    if (waiting_.size() + more.size() > piece) flush();
    waiting_ += more;
  }
  void flush() {
    write_all(pending_.descriptor(), waiting_, file_);
    waiting_.clear();
  }

  fs::path file_;
  PendingFile pending_;
  std::string waiting_;
};

struct EnsightFormat {
  const Mesh& mesh;
  std::span<const Diffusivity> tissue;
  FrameFields fields;
  std::vector<std::size_t> state_numbers;
  std::unique_ptr<FrameLayout> layout;
  std::shared_ptr<ExtracellularPotential> extracellular;

  /// What values of elements begin with.
  std::string_view element_type() const { return mesh.is_quadratic() ? "tetra10" : "tetra4"; }
};

void write_geometry(const EnsightFormat& format, const fs::path& path) {
  const Mesh& mesh = format.mesh;
  BinaryFile file(path);
  file.word("C Binary");
  file.word("cardiowarp");
  file.word("coordinates in mm");
  file.word("node id off");
  file.word("element id off");
  file.word("part");
  file.number(part);
  file.word("tissue");
  file.word("coordinates");
  file.number(static_cast<std::int32_t>(mesh.nodes.size()));
  for (const auto component : {&Vector3::x, &Vector3::y, &Vector3::z})
    file.numbers(mesh.nodes.size(), [&](std::size_t node) { return static_cast<float>(mesh.nodes[node].*component); });
  file.word(format.element_type());
  file.number(static_cast<std::int32_t>(mesh.tetrahedra.size()));
  // Corners and edge nodes have EnSight's order: 12, 23, 13, 14, 24, 34.
  if (mesh.is_quadratic())
    file.numbers(quadratic_nodes * mesh.tetrahedra.size(), [&](std::size_t i) {
      const std::size_t element = i / quadratic_nodes, k = i % quadratic_nodes;
      return std::int32_t{1} + (k < 4 ? mesh.tetrahedra[element][k] : mesh.edge_nodes[element][k - 4]);
    });
  else
    file.numbers(4 * mesh.tetrahedra.size(),
                 [&](std::size_t i) { return std::int32_t{1} + mesh.tetrahedra[i / 4][i % 4]; });
  file.commit();
}

/// A file of a field on `of`: "coordinates", or the type of the elements. `write_values` writes its values.
template <class WriteValues>
void write_field(const fs::path& path, std::string_view name, std::string_view of, const WriteValues& write_values) {
  BinaryFile file(path);
  file.word(name);
  file.word("part");
  file.number(part);
  file.word(of);
  write_values(file);
  file.commit();
}

/// What the files of all frames are read with, the mesh, fibers and regions, but for those that are whole.
void write_common_files(const EnsightFormat& format, const fs::path& directory,
                        const std::function<bool(const std::string&)>& is_whole) {
  const std::vector<std::string> files = format.layout->common_files();
  const std::size_t elements = format.mesh.tetrahedra.size();
  if (!is_whole(files[0])) write_geometry(format, directory / files[0]);
  if (!is_whole(files[1]))
    write_field(directory / files[1], "fiber", format.element_type(), [&](BinaryFile& file) {
      for (const auto component : {&Vector3::x, &Vector3::y, &Vector3::z})
        file.numbers(elements,
                     [&](std::size_t element) { return static_cast<float>(format.tissue[element].fiber.*component); });
    });
  if (!is_whole(files[2]))
    write_field(directory / files[2], "region", format.element_type(), [&](BinaryFile& file) {
      file.numbers(elements,
                   [&](std::size_t element) { return static_cast<float>(format.mesh.element_tags[element]); });
    });
}

class EnsightFrame final : public Frame {
 public:
  explicit EnsightFrame(const EnsightFormat& format)
      : format_(format),
        states_(format.state_numbers.size(), std::vector<Real>(format.mesh.tetrahedra.size())),
        singles_(states_.size(), std::vector<float>(format.mesh.tetrahedra.size())),
        phi_e_(format.extracellular, format.mesh.nodes.size()) {}

  /// The potential is sent on its way and not waited for; a state is.
  void take(Simulation& simulation, std::size_t number, Real /*time_ms*/) override {
    number_ = number;
    if (format_.fields.potential || format_.fields.phi_e)
      simulation.send_potential_mv(potential_mv_, format_.mesh.nodes.size());
    for (std::size_t i = 0; i < states_.size(); ++i) simulation.state(format_.state_numbers[i], states_[i]);
  }

  void await() override {
    if (potential_mv_) potential_mv_->await();
  }

  std::vector<FileMark> write(const fs::path& directory) override {
    const std::vector<Field> fields = fields_to_write();
    if (number_ == 0) write_common_files(format_, directory, [](const std::string&) { return false; });
    const std::vector<std::string> files = format_.layout->files_of(number_);
    std::vector<fs::path> made;  // where nothing was: what another run wrote is only replaced
    made.reserve(files.size());
    std::error_code ignored;
    try {
      for (std::size_t i = 0; i < files.size(); ++i) {
        fs::path path = directory / files[i];
        const bool is_new = fs::symlink_status(path, ignored).type() == fs::file_type::not_found;
        write_field(path, fields[i].name, fields[i].of, [&](BinaryFile& file) { file.numbers(fields[i].values); });
        if (is_new) made.push_back(std::move(path));
      }
    } catch (...) {
      for (const fs::path& path : made) fs::remove(path, ignored);  // a frame is there as a whole
      throw;
    }
    return marks_written_with(directory, *format_.layout, number_);
  }

 private:
  struct Field {
    std::string_view name, of;
    std::span<const float> values;
  };

  /// In the order of the layout's files, each finite in single precision.
  std::vector<Field> fields_to_write() {
    std::vector<Field> fields;
    if (format_.fields.potential) fields.push_back({"potential", "coordinates", potential_mv_->values()});
    if (!phi_e_.empty()) {
      phi_e_.solve(potential_mv_->values(), number_);
      fields.push_back({"phi_e", "coordinates", phi_e_.singles()});
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      std::ranges::transform(states_[i], singles_[i].begin(), [](Real value) { return static_cast<float>(value); });
      fields.push_back({format_.fields.states[i], format_.element_type(), singles_[i]});
    }
    for (const Field& field : fields) require_finite(field.name, field.values);
    return fields;
  }

  const EnsightFormat& format_;
  std::unique_ptr<SinglesUnderWay> potential_mv_;
  std::vector<std::vector<Real>> states_;
  std::vector<std::vector<float>> singles_;  ///< of these
  ExtracellularField phi_e_;
  std::size_t number_ = 0;
};

class EnsightFrames final : public FrameWriter {
 public:
  explicit EnsightFrames(EnsightFormat format) : format_(std::move(format)) {}

  const FrameLayout& layout() const override { return *format_.layout; }
  std::unique_ptr<Frame> make_frame() override { return std::make_unique<EnsightFrame>(format_); }

  /// Only what is not whole is written.
  bool needs_first_frame_anew(const fs::path& directory,
                              const std::function<bool(const std::string&)>& is_whole) override {
    write_common_files(format_, directory, is_whole);
    return !std::ranges::all_of(format_.layout->files_of(0), is_whole);
  }

 private:
  EnsightFormat format_;
};

}  // namespace

std::unique_ptr<FrameLayout> make_ensight_layout(const FrameFields& fields) {
  return std::make_unique<EnsightLayout>(fields);
}

std::unique_ptr<FrameWriter> make_ensight_frames(const Mesh& mesh, std::span<const Diffusivity> tissue,
                                                 const FrameFields& fields, std::vector<std::size_t> states,
                                                 std::shared_ptr<ExtracellularPotential> extracellular) {
  if (tissue.size() != mesh.tetrahedra.size() || mesh.element_tags.size() != mesh.tetrahedra.size())
    throw std::logic_error("output: one fiber and one tag an element expected");
  return std::make_unique<EnsightFrames>(
      EnsightFormat{mesh, tissue, fields, std::move(states), make_ensight_layout(fields), std::move(extracellular)});
}

}  // namespace cardiowarp
