#pragma once
#include <deque>
#include <filesystem>
#include <vector>

#include "meshes/atomic_file.hpp"

namespace cardiowarp {

// Several files that are one result, such as .elem, .lon and .pts of an openCARP mesh, written over older ones. One
// file is replaced by one rename; several cannot be at one moment. So the one that readers ask for first is the first
// to leave its name and the last to come: whoever finds it finds the files that belong to it.
//
//     .heart.part.*            the new files, until they are complete
//     heart.pts                goes first:  to .heart.old.pts, then the others likewise
//     heart.elem, heart.lon    the new ones come under their names
//     heart.pts                comes last;  then .heart.old.* are removed
//
// Where a step fails all older files come back. A process that is killed between the first and the last rename leaves
// no .pts, and the older files under their .old names. write_mesh() uses it.

/// A file of a result, with two names beside its own.
struct PendingName {
  std::filesystem::path file, temporary;
  std::filesystem::path aside;  ///< of the older file while the new ones come
  bool is_written = true;       ///< otherwise the result lacks it, and an older one goes
};

/// The files of one result until they are complete.
class PendingFiles {
 public:
  /// Creates the empty temporaries; `names.back()` names the result. Throws InputError.
  explicit PendingFiles(std::vector<PendingName> names);

  /// Puts all of them under their names. Throws InputError that names the file; the older ones then are where they
  /// were, as far as the system allows.
  void commit();

 private:
  std::vector<PendingName> names_;
  std::deque<PendingFile> pending_;  ///< of those that are written
};

/// Throws InputError where a file of the names, or one beside them, could not be replaced.
void require_replaceable(const std::vector<PendingName>& names);

}  // namespace cardiowarp
