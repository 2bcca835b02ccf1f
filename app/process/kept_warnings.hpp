#pragma once
#include <string>
#include <vector>

namespace cardiowarp {

/// Keeps the first thousand warnings that log_warn() is given while this object is there, in their order, whether they
/// are shown or not (--log-level), so that a run can write them beside its results. They may come from any thread. One
/// object at a time keeps them: while there is another one, the newer keeps nothing.
class KeptWarnings {
 public:
  KeptWarnings();
  ~KeptWarnings();
  KeptWarnings(const KeptWarnings&) = delete;
  KeptWarnings& operator=(const KeptWarnings&) = delete;

  /// Those so far.
  std::vector<std::string> texts() const;

  /// Adds a warning to the object that keeps them, if there is one. log_warn() calls this.
  static void keep(const std::string& text);

 private:
  std::vector<std::string> texts_;
};

}  // namespace cardiowarp
