#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/checkpoint/file_mark.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// A table over time: `probes.csv` of a run has the potential at each probe, a line for each step, and `ecg.csv` the
// leads of the ECG, a line for each sample. The Recorder writes them, and a run that goes on from a checkpoint cuts
// them back to the lines that the checkpoint knows.

/// Why a run that had written `rows` cannot go on with such a file, which may be longer: there is none, it is
/// shorter, begins with other bytes or cannot be written to. Empty where it can.
std::string why_no_rows(const std::filesystem::path& file, const FileMark& rows);

/// `time_ms,NAME...`, one line a record, complete after every `flush`.
class SeriesFile {
 public:
  /// Opens the file, in place of one of an earlier run (create_file).
  SeriesFile(const std::filesystem::path& file, const std::vector<std::string>& columns);
  /// Opens a file that a run has left, and cuts it back to the `rows` that it begins with. Throws InputError for the
  /// reasons of why_no_rows().
  SeriesFile(const std::filesystem::path& file, const std::vector<std::string>& columns, const FileMark& rows);
  SeriesFile(const SeriesFile&) = delete;
  SeriesFile& operator=(const SeriesFile&) = delete;
  /// Completes the file; what does not fit on the disk is left out silently, so `flush` where it matters.
  ~SeriesFile();
  /// `values` is [columns]. Throws InputError when the file cannot be written.
  void write(Real time_ms, std::span<const Real> values);
  /// Throws InputError when the disk is full; the file then ends with the last whole line before.
  void flush();
  FileMark rows() const { return written_.mark(); }  ///< all that is in the file after the last flush()

 private:
  std::filesystem::path path_;
  std::size_t columns_;
  int descriptor_;
  std::string lines_;  ///< not yet in the file
  ByteSum written_;    ///< the whole lines in the file
};

}  // namespace cardiowarp
