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

// What goes into a checkpoint and comes out of it. Whoever has a state that a run needs to go on names its numbers
// once, in a function exchange(StateArchive&). An archive that is made empty takes them, one that is made of the
// sections of a file gives them back, so that what is saved and what is loaded cannot differ. Numbers keep their bits.
// Arrays on nodes and integration points go through BackendArchive (app/simulation/backend_archive.hpp), which brings
// them into the order of the mesh.

/// Named values on their way into a checkpoint or out of it.
class StateArchive {
 public:
  StateArchive() = default;  ///< takes
  /// Gives. Messages name `file`, from which the sections are.
  explicit StateArchive(CheckpointSections sections, std::string file = {})
      : is_loading_(true), file_(std::move(file)), sections_(std::move(sections)) {}

  bool is_loading() const { return is_loading_; }
  const CheckpointSections& sections() const { return sections_; }

  template <class T>
  requires std::is_arithmetic_v<T>
  void value(const std::string& name, T& value) { bytes(name, std::as_writable_bytes(std::span(&value, 1))); }

  /// What is absent has no bytes.
  template <class T>
  void value(const std::string& name, std::optional<T>& value) {
    std::vector<T> values;
    if (value) values.push_back(*value);
    this->values(name, values);
    value = values.empty() ? std::nullopt : std::optional(values.front());
  }

  /// Of any number.
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

  /// As many as there are. Throws InputError where the checkpoint has another number of them, or none.
  void bytes(const std::string& name, std::span<std::byte> bytes);

 private:
  /// Throws InputError where there is none or it is no multiple of `of` long.
  const std::vector<std::byte>& section(const std::string& name, std::size_t of) const;
  /// Throws InputError that begins with what the sections are from.
  [[noreturn]] void fail(const std::string& what) const;

  bool is_loading_ = false;
  std::string file_;
  CheckpointSections sections_;
};

}  // namespace cardiowarp
