#pragma once
#include <string>

#include "app/measure/table.hpp"

namespace cardiowarp {

/// Where measurements come from. Without it two of them cannot be compared, so that every CSV file of measurements
/// begins with it. measured_here() fills it in for the program and machine in use (app/output/measured_here.hpp).
struct Provenance {
  std::string commit;     ///< of the program
  std::string gpu;        ///< name of the device, or none
  std::string driver;     ///< version of the GPU's driver, or none
  std::string cuda;       ///< version of CUDA that the program was built with, or none
  std::string processor;  ///< name, and number of threads
  std::string date;       ///< and time, UTC, ISO 8601
};

/// The head of a CSV file of measurements: a line `# key: value` for each of these, in this order.
std::string csv_head(const Provenance& provenance);

/// The head, and then the table as csv_text() has it. No line of the table begins with #.
std::string csv_text(const Table& table, const Provenance& provenance);

}  // namespace cardiowarp
