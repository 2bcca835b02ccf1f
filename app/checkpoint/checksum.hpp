#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cardiowarp {

// A checksum of 64 bits over any values. A checkpoint finds by it whether its file is damaged, and whether a run goes
// on with the mesh and the tissue that it was written with. It takes eight bytes at a time: h ← mix((h xor word) · p)
// with an odd p, where mix(h) is h xor (h >> 29). Each step is a bijection of h, so that two texts that differ in a
// single word never have one checksum. It is no protection against somebody who means to deceive.

/// The checksum of all that add() was given, in this order.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) add_word(bytes.data() + at, 8);
    if (at < bytes.size()) add_word(bytes.data() + at, bytes.size() - at);
    mix(bytes.size());
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
  template <class T>
  void add(const std::vector<T>& values) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>, "without padding");
    add(std::as_bytes(std::span(values)));
  }
  void add(double value) { mix(std::bit_cast<std::uint64_t>(value)); }
  void add(std::int64_t value) { mix(static_cast<std::uint64_t>(value)); }

  std::uint64_t value() const { return hash_; }

 private:
  void add_word(const std::byte* bytes, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, count);
    mix(word);
  }
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 29;
  }

  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace cardiowarp
