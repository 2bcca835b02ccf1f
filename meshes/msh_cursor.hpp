#pragma once
#include <fmt/format.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "fem/input_error.hpp"
#include "meshes/text_cursor.hpp"

namespace cardiowarp {

// Walks through a `.msh` file value by value, whether its numbers are words or bytes. The head of the file tells which,
// and from then on value() and skip() do what that asks; what is text in binary files, too, is read with what
// TextCursor has. Nothing is copied but the value that is asked for, and no count of a damaged file is believed beyond
// what the rest of the file can hold. The readers of sections (msh_nodes.hpp, msh_elements.hpp, msh_groups.hpp) share
// one cursor.

class MshCursor : public TextCursor {
 public:
  MshCursor(const std::string& file, std::string_view text) : TextCursor(file, text), file_(file) {}

  const std::string& file() const { return file_; }
  bool is_binary() const { return is_binary_; }
  void begin_binary() { is_binary_ = true; }

  /// A count on a line of its own, which is text in binary 2.2 files too.
  std::size_t counted_line(std::string_view what) {
    const auto count = number<std::size_t>(what);
    if (is_binary_) rest_of_line();
    if (count > text().size()) fail(fmt::format("{} is {}, more than the file can hold", what, count));
    return count;
  }

  /// A number, whose name in errors is `what`.
  template <class Value>
  Value value(std::string_view what) {
    return is_binary_ ? binary_value<Value>() : number<Value>(what);
  }

  template <class Value>
  Value binary_value() {
    Value result;
    require(1, sizeof(Value));
    std::memcpy(&result, text().data() + position(), sizeof(Value));
    move_to(position() + sizeof(Value));
    return result;
  }

  /// Copies `count` values from the file. The caller has made sure that the file has so many left.
  template <class Value>
  void copy_binary(Value* values, std::size_t count) {
    if (count == 0) return;  // there may be no memory behind `values`
    std::memcpy(values, text().data() + position(), count * sizeof(Value));
    move_to(position() + count * sizeof(Value));
  }

  /// Passes `count` values, or as many in each of `rows`.
  template <class Value>
  void skip(std::size_t count, std::string_view what) {
    require(count, is_binary_ ? sizeof(Value) : 1);
    if (is_binary_)
      move_to(position() + count * sizeof(Value));
    else
      for (std::size_t i = 0; i < count; ++i) number<Value>(what);
  }

  template <class Value>
  void skip(std::size_t rows, std::size_t columns, std::string_view what) {
    if (rows > bytes_left() / columns)
      fail(fmt::format("expected {} more rows of {} values, got the end of the file (truncated?)", rows, columns));
    skip<Value>(rows * columns, what);
  }

  std::size_t bytes_left() const { return text().size() - position(); }

  /// Fails when fewer than `count` times `bytes` bytes are left; also keeps damaged counts from overflowing.
  void require(std::size_t count, std::size_t bytes) {
    if (count > bytes_left() / bytes)
      fail(fmt::format("expected {} more values of {} bytes, got the end of the file (truncated?)", count, bytes));
  }

  static std::string printable(std::string_view text) {
    std::string result(text.substr(0, 40));
    for (char& c : result)
      if (c < ' ' || c > '~') c = '?';
    return result;
  }

  /// Ends with InputError: the line of the file, or the byte where it is binary.
  [[noreturn]] void fail(const std::string& message) const {
    if (is_binary_) throw InputError(fmt::format("{}: byte {}: {}", file_, position(), message));
    TextCursor::fail(message);
  }

 private:
  std::string file_;
  bool is_binary_ = false;
};

}  // namespace cardiowarp
