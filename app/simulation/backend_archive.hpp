#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/checkpoint/state_archive.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

/// A StateArchive for those whose arrays are in the memory of a backend, in the order that suits its machine: in the
/// archive they are in the order of the mesh. It waits for the backend.
template <Backend B>
class BackendArchive {
 public:
  /// Where each node and each integration point of the machine's order is in that of the mesh (points_in_input()).
  struct Orders {
    const std::vector<Index>& node_in_input;
    const std::vector<Index>& point_in_input;
  };

  BackendArchive(B& backend, StateArchive& archive, const Orders& orders)
      : backend_(backend), archive_(archive), orders_(orders) {}

  bool is_loading() const { return archive_.is_loading(); }
  StateArchive& plain() { return archive_; }

  template <class T>
  void value(const std::string& name, T& value) {
    archive_.value(name, value);
  }
  /// [nodes]
  void nodes(const std::string& name, const Buffer<Real>& memory) { exchange(name, memory, orders_.node_in_input); }
  /// [any × points]
  void points(const std::string& name, const Buffer<Real>& memory) { exchange(name, memory, orders_.point_in_input); }

 private:
  /// archive[k n + input[i]] = memory[k n + i] of n, or the other way
  void exchange(const std::string& name, const Buffer<Real>& memory, const std::vector<Index>& input) {
    const std::size_t n = input.size();
    in_machine_.resize(memory.size());
    in_mesh_.resize(memory.size());
    const bool loading = archive_.is_loading();
    if (loading)
      archive_.bytes(name, std::as_writable_bytes(std::span(in_mesh_)));
    else
      backend_.download(static_cast<const Real*>(memory.data()), std::span<Real>(in_machine_));
    for (std::size_t first = 0; first < memory.size(); first += n)
      for (std::size_t i = 0; i < n; ++i) {
        Real &machine = in_machine_[first + i], &mesh = in_mesh_[first + input[i]];
        if (loading)
          machine = mesh;
        else
          mesh = machine;
      }
    if (loading)
      backend_.upload(std::span<const Real>(in_machine_), memory.data());
    else
      archive_.bytes(name, std::as_writable_bytes(std::span(in_mesh_)));
  }

  B& backend_;
  StateArchive& archive_;
  Orders orders_;
  std::vector<Real> in_machine_, in_mesh_;
};

}  // namespace cardiowarp
