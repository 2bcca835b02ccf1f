#pragma once
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace cardiowarp::test {

/// The lines `# key: value` that a file of measurements begins with, in their order, and the line after them.
struct CsvHead {
  std::vector<std::string> keys;
  std::map<std::string, std::string> values;
  std::string columns;
};

inline CsvHead csv_head_of(const std::string& text) {
  CsvHead head;
  std::istringstream lines(text);
  while (std::getline(lines, head.columns) && head.columns.rfind("# ", 0) == 0) {
    const std::size_t colon = head.columns.find(": ");
    if (colon == std::string::npos) break;
    head.keys.push_back(head.columns.substr(2, colon - 2));
    head.values[head.keys.back()] = head.columns.substr(colon + 2);
  }
  return head;
}

inline const std::vector<std::string> csv_head_keys{"commit", "gpu", "driver", "cuda", "processor", "date"};

}  // namespace cardiowarp::test
