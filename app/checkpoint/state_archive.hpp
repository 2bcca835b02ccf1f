#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/checkpoint/checkpoint_file.hpp"

namespace cardiowarp {

// The numbers of a run on their way into a checkpoint or out of it. Each class that has a state which a run needs to go
// on names the numbers of that state once, in a function exchange(StateArchive&). The same function saves and loads:
// an archive that was made empty copies the numbers into itself, and one that was made of the sections of a file writes
// its copies back to them. So what is saved and what is loaded cannot differ. Numbers keep their bits.
// Arrays on nodes and integration points go through BackendArchive (app/simulation/backend_archive.hpp), which brings
// them into the order of the mesh.

/// Named values on their way into a checkpoint or out of it.
class StateArchive {
 public:
  /// An empty archive, which saves.
  StateArchive() = default;
  /// An archive that loads from the sections of a checkpoint, which were read from `file`. Messages name the file.
  explicit StateArchive(CheckpointSections sections, std::string file = {})
      : is_loading_(true), file_(std::move(file)), sections_(std::move(sections)) {}

  bool is_loading() const { return is_loading_; }
  const CheckpointSections& sections() const { return sections_; }

  template <class T>
  requires std::is_arithmetic_v<T>
  void value(const std::string& name, T& value) { bytes(name, std::as_writable_bytes(std::span(&value, 1))); }

  /// A number that may be absent; the section of an absent one has no bytes.
  template <class T>
  void value(const std::string& name, std::optional<T>& value) {
    std::vector<T> values;
    if (value) values.push_back(*value);
    this->values(name, values);
    value = values.empty() ? std::nullopt : std::optional(values.front());
  }

  /// An array. Loading gives it the length that it has in the checkpoint.
  template <class T>
  requires std::is_arithmetic_v<T>
  void values(const std::string& name, std::vector<T>& values) {
    if (is_loading_) values.resize(section(name, sizeof(T)).size() / sizeof(T));
    bytes(name, std::as_writable_bytes(std::span(values)));
  }

  void text(const std::string& name, std::string& text) {
    if (is_loading_) text.resize(section(name, 1).size());
    bytes(name, std::as_writable_bytes(std::span(text)));
  }

  /// Bytes of a fixed number. Throws InputError where the checkpoint has no section of this name, or one of another
  /// length.
  void bytes(const std::string& name, std::span<std::byte> bytes);

 private:
  /// The section of a name. Throws InputError where there is none, or where its length in bytes is no multiple of `of`.
  const std::vector<std::byte>& section(const std::string& name, std::size_t of) const;
  /// Throws InputError that begins with the name of the file.
  [[noreturn]] void fail(const std::string& what) const;

  bool is_loading_ = false;
  std::string file_;
  CheckpointSections sections_;
};

}  // namespace cardiowarp
