#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/checkpoint/file_mark.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct ProbeConfig;

// The file `probes.csv` of a run: the potential at each probe, a line for each step. The Recorder writes it, and a run
// that goes on from a checkpoint cuts it back to the lines that the checkpoint knows.

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
