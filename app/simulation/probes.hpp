#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/checkpoint/file_mark.hpp"
#include "app/config/config.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

// Points at which the potential is recorded after every step, whether or not a frame is due. build_problem() finds the
// tetrahedron around each point once, and the simulation then interpolates in it. The Recorder writes the values to
// `probes.csv`, a line for each time. A point takes 120 bytes.

/// Where a probe reads the potential: Σ weight · φ over the nodes of the tetrahedron around its point.
struct ProbePoint {
  Tetrahedron nodes{};
  std::array<Real, 4> weights{};
  EdgeNodes edge_nodes{};  ///< of a quadratic tetrahedron, whose nodes are all different
  std::array<Real, 6> edge_weights{};

  CARDIOWARP_HD bool is_quadratic() const { return edge_nodes[0] != edge_nodes[1]; }
};

/// Locates each probe in the mesh; a point outside the mesh by at most `1e-6` of the mesh's size is moved onto it.
/// Throws InputError naming the probe, its point and the nearest point of the mesh when it lies further outside.
std::vector<ProbePoint> locate_probes(const Mesh& mesh, const std::vector<ProbeConfig>& probes);

/// Why a run that had written `rows` cannot go on with its probe file, which may be longer: there is none, it is
/// shorter, begins with other bytes or cannot be written to. Empty where it can.
std::string why_no_probe_rows(const std::filesystem::path& file, const FileMark& rows);

/// `probes.csv`: `time_ms,NAME...`, one line a record [ms, mV], complete after every `flush`.
class ProbeFile {
 public:
  /// Opens the file, in place of one of an earlier run (create_file).
  ProbeFile(const std::filesystem::path& file, const std::vector<ProbeConfig>& probes);
  /// Opens a file that a run has left, and cuts it back to the `rows` that it begins with. Throws InputError for the
  /// reasons of why_no_probe_rows().
  ProbeFile(const std::filesystem::path& file, const std::vector<ProbeConfig>& probes, const FileMark& rows);
  ProbeFile(const ProbeFile&) = delete;
  ProbeFile& operator=(const ProbeFile&) = delete;
  /// Completes the file; what does not fit on the disk is left out silently, so `flush` where it matters.
  ~ProbeFile();
  /// `potential_mv` is [probes]. Throws InputError when the file cannot be written.
  void write(Real time_ms, std::span<const Real> potential_mv);
  /// Throws InputError when the disk is full; the file then ends with the last whole line before.
  void flush();
  FileMark rows() const { return written_.mark(); }  ///< all that is in the file after the last flush()

 private:
  std::filesystem::path path_;
  std::size_t probes_;
  int descriptor_;
  std::string lines_;  ///< not yet in the file
  ByteSum written_;    ///< the whole lines in the file
};

}  // namespace cardiowarp
