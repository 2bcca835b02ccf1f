#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/reaction_elements.hpp"
#include "assembly/sparsity.hpp"
#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/device.hpp"

namespace cardiowarp {

// The assembly `shared_nz`: elements and sums in one launch, as SharedNZ of Cecka, Lew and Darve (2011, "paper 004",
// sec. 4.3) has them, for the two numbers an element of this program. A part is a run of slices of an ELL-WARP matrix
// whose rows are in the sorted order, and has a block of threads. The block brings φ and load of all nodes of the part
// to shared memory, its own and those around them, evaluates each element that has one of its own nodes, leaves the two
// numbers there, and adds up every entry of its rows from them by lists of local numbers of 16 bits:
//
//   memory           φ, load of nodes        elements: corners, volume, states        D, lists       K, −R, 1 / K_II
//                        |                          |                                    |                ^
//   shared memory        +--> φ, load (local) ------+--> tangent, residual (local) ------+----------------+
//
// The two numbers of an element never are in memory. In return an element whose nodes are in several parts is evaluated
// in each of them; the part of its first corner alone stores its states. Nothing is written by two threads, and every
// sum has a fixed order: the same bits in every run.
//
// Bytes: an element takes 20 each time it is evaluated (its number, four local corners of 16 bits, its volume) and 8 for
// each state, to which the stored states come once; the two numbers 16 of shared memory. A stored entry takes 18 (D, K,
// its local column), a quarter for where its list begins, and 2 for each element of its list, filled up to the longest
// of 32 neighbours and an even number; a row 2 for each of its elements and 26. A node around a part takes 4, and 16
// more of the cache. A plan for a heart of 1.6 million nodes says how much that is (SharedNzPlan::bytes()).

/// How a matrix is cut into parts, and the threads that a part has.
struct SharedNzShape {
  Index slices_a_part = 0;  ///< 0: what suits device and matrix
  Index threads = 0;        ///< of a block, a multiple of 32; 0: what suits
};

/// What a block of threads knows of its part, in backend memory.
struct SharedNzView {
  Index parts, slices_a_part;
  Index split;          ///< warps that share the layers of a slice, each with sums of its own
  Index most_elements;  ///< of a part
  Index most_nodes;     ///< of a part, its own and those around them
  const Index* around_begin;           ///< [parts + 1] first of the nodes around each part
  const Index* around;                 ///< their numbers; local numbers: own nodes, then these
  const Index* element_begin;          ///< [parts + 1]
  const std::uint32_t* element;        ///< ascending in a part; the highest bit is set where another part stores states
  const std::uint64_t* corners;        ///< the local numbers of the four corners, 16 bits each
  const Index* list_begin;             ///< [slots / 32 + 1] first word of the lists of 32 neighbouring slots, over 32
  const std::uint32_t* list;           ///< two local elements a word; a word of each of 32 slots, then the next of each
  const Index* node_list_begin;        ///< [slices + 1] likewise the elements of the rows, dealt out to their lanes
  const std::uint32_t* node_list;      ///< padding is the number of elements of the part
  const std::uint16_t* local_column;   ///< [slots]
  const std::uint16_t* diagonal;       ///< [rows] which entry of its row
};

/// Where a part has its numbers in shared memory. The sums take the place of load when all elements are evaluated.
struct SharedNzMemory {
  Real *tangent, *residual;  ///< [elements + 1] the last is 0
  Real *phi, *load;          ///< [nodes]
  Real *tangent_sum, *residual_sum;  ///< [split × 32 slices] of each lane
  Real* diagonal;            ///< [32 slices] D_II of each row, by its number in its slice

  CARDIOWARP_HD SharedNzMemory(Real* shared, const SharedNzView& parts)
      : tangent(shared),
        residual(tangent + parts.most_elements + 1),
        phi(residual + parts.most_elements + 1),
        load(phi + parts.most_nodes),
        tangent_sum(load),
        residual_sum(tangent_sum + warp_lanes * parts.split * parts.slices_a_part),
        diagonal(residual_sum + warp_lanes * parts.split * parts.slices_a_part) {}

  /// Numbers of 8 bytes that it takes.
  static std::size_t numbers(const SharedNzView& parts) {
    const std::size_t lanes = static_cast<std::size_t>(warp_lanes) * parts.slices_a_part;
    return 2 * (static_cast<std::size_t>(parts.most_elements) + 1) + parts.most_nodes +
           std::max<std::size_t>(parts.most_nodes, (2 * parts.split + 1) * lanes);
  }
};

/// The most shared memory of any part: what a block of an A100 or H100 can have, and the host keeps on its stack.
inline constexpr std::size_t most_part_bytes = 224 << 10;

/// Work of a block of threads for a part, in three passes between which the threads wait for each other (kernel:
/// shared_nz.cuh). A host does it in the same order, part by part, with the same sums.
template <CellModel Cell, Caching C = Caching::cached, bool OneModel = false>
struct SumSharedNz {
  SharedNzView parts;
  EllWarpView K;  ///< its values: the constant part
  const Real* volume;
  const Cell* cell_models;
  const std::uint16_t* cell_model;
  ElementState state;
  Real* value;              ///< [slots] out: K
  Real* negative_residual;  ///< [rows] out: −R
  Real* inverse_diagonal;   ///< [rows] out
  Cell only = {};

  static constexpr std::uint32_t other_stores = 0x80000000u;

  /// What is fetched of an element.
  struct Fetched {
    std::uint32_t element;
    std::uint64_t corners;
    Real volume;
    Real states[Cell::states];
  };

  CARDIOWARP_HD Index first_slice(Index part) const { return part * parts.slices_a_part; }
  CARDIOWARP_HD Index slices_of(Index part) const {
    const Index left = K.slices - first_slice(part);
    return left < parts.slices_a_part ? left : parts.slices_a_part;
  }
  CARDIOWARP_HD Index first_row(Index part) const { return K.slice_row[first_slice(part)]; }
  CARDIOWARP_HD Index end_row(Index part) const { return K.slice_row[first_slice(part) + slices_of(part)]; }
  CARDIOWARP_HD Index elements_of(Index part) const {
    return parts.element_begin[part + 1] - parts.element_begin[part];
  }

  /// Pass 1, of one of `threads` threads: φ and load of the nodes of the part.
  CARDIOWARP_HD void bring_nodes(Index part, Index thread, Index threads, const SharedNzMemory& memory) const {
    const Index first = first_row(part), own = end_row(part) - first;
    const Index begin = parts.around_begin[part], around = parts.around_begin[part + 1] - begin;
    for (Index i = thread; i < own + around; i += threads) {
      const Index node = i < own ? first + i : fetch<C>(parts.around + begin + (i - own));
      memory.phi[i] = state.phi[node];
      memory.load[i] = state.load[node];
    }
    if (thread == 0) memory.tangent[elements_of(part)] = memory.residual[elements_of(part)] = 0;
  }

  CARDIOWARP_HD Fetched fetched(Index part, Index local) const {
    const Index at = parts.element_begin[part] + local;
    Fetched f;
    f.element = fetch<C>(parts.element + at);
    f.corners = fetch<C>(parts.corners + at);
    const Index element = static_cast<Index>(f.element & ~other_stores);
    f.volume = volume[element];
    for (int i = 0; i < Cell::states; ++i) f.states[i] = state.states_old[state.place(i, element)];
    return f;
  }

  /// Pass 2, for one element of the part.
  CARDIOWARP_HD void evaluate(Index local, const Fetched& f, const SharedNzMemory& memory) const {
    const Index element = static_cast<Index>(f.element & ~other_stores);
    const Tetrahedron corners{static_cast<Index>(f.corners & 0xffffu), static_cast<Index>(f.corners >> 16u & 0xffffu),
                              static_cast<Index>(f.corners >> 32u & 0xffffu), static_cast<Index>(f.corners >> 48u)};
    ElementState here = state;
    here.phi = memory.phi;
    here.load = memory.load;
    const auto result = reaction_element(OneModel ? only : cell_models[fetch<C>(cell_model + element)], corners,
                                         f.volume, f.states, here);
    memory.tangent[local] = result.adds.tangent;
    memory.residual[local] = result.adds.residual;
    if (!(f.element & other_stores))
      for (int i = 0; i < Cell::states; ++i) state.states[state.place(i, element)] = result.state[i];
  }

  /// Pass 3, of one lane of one of the `split` warps of a slice: K but for the diagonal, and what it has of the sums of
  /// its row.
  CARDIOWARP_HD void sum_lane(Index part, Index slice_in_part, Index warp, Index lane, const SharedNzMemory& memory) const {
    const Index slice = first_slice(part) + slice_in_part;
    const Index lanes = K.one_lane_a_row ? 1 : K.slice_lanes[slice];
    const Index row_in_slice = lane / lanes, lane_in_row = lane % lanes, row = K.slice_row[slice] + row_in_slice;
    const Index diagonal = row < K.slice_row[slice + 1] ? parts.diagonal[row] : -1;
    const std::int64_t begin = K.slice_begin[slice];
    const Index layers = static_cast<Index>((K.slice_begin[slice + 1] - begin) / warp_lanes);
    const auto first_layer = static_cast<Index>(begin / warp_lanes);
    Real product = 0;
    for (Index layer = warp; layer < layers; layer += parts.split) {
      const std::int64_t slot = begin + std::int64_t{warp_lanes} * layer + lane;
      const Real diffusion = fetch<C>(K.value + slot);
      const Real phi = memory.phi[fetch<C>(parts.local_column + slot)];
      const Real sum = sum_list(parts.list_begin[first_layer + layer], parts.list_begin[first_layer + layer + 1], lane,
                                memory.tangent);
      product += diffusion * phi;
      if (layer * lanes + lane_in_row == diagonal)
        memory.diagonal[warp_lanes * slice_in_part + row_in_slice] = diffusion;
      else
        store<C>(value + slot, diffusion + sum);
    }
    const Index words = parts.node_list_begin[slice], end = parts.node_list_begin[slice + 1];
    Real tangent = 0, residual = 0;
    for (Index word = words + warp; word < end; word += parts.split) {
      const std::uint32_t two = fetch<C>(parts.node_list + std::int64_t{warp_lanes} * word + lane);
      const std::uint32_t a = two & 0xffffu, b = two >> 16u;
      tangent += memory.tangent[a];
      residual += memory.residual[a];
      tangent += memory.tangent[b];
      residual += memory.residual[b];
    }
    const Index place = warp_lanes * (warp * parts.slices_a_part + slice_in_part) + lane;
    memory.tangent_sum[place] = tangent;
    memory.residual_sum[place] = product + residual;
  }

  /// Pass 4, for one row of the part: its diagonal and −R.
  CARDIOWARP_HD void finish_row(Index part, Index slice_in_part, Index row_in_slice, const SharedNzMemory& memory) const {
    const Index slice = first_slice(part) + slice_in_part;
    const Index lanes = K.one_lane_a_row ? 1 : K.slice_lanes[slice], row = K.slice_row[slice] + row_in_slice;
    if (row_in_slice * lanes >= warp_lanes || row >= K.slice_row[slice + 1]) return;
    Real tangent = 0, residual = 0;
    for (Index warp = 0; warp < parts.split; ++warp)
      for (Index lane = row_in_slice * lanes; lane < (row_in_slice + 1) * lanes; ++lane) {
        const Index place = warp_lanes * (warp * parts.slices_a_part + slice_in_part) + lane;
        tangent += memory.tangent_sum[place];
        residual += memory.residual_sum[place];
      }
    const Real diagonal = memory.diagonal[warp_lanes * slice_in_part + row_in_slice] + tangent;
    value[K.slice_begin[slice] + slot_in_slice(row_in_slice, lanes, parts.diagonal[row])] = diagonal;
    inverse_diagonal[row] = 1 / diagonal;
    negative_residual[row] = -residual;
  }

  /// Loop body over the parts.
  CARDIOWARP_HD void operator()(Index part) const {
    Real shared[most_part_bytes / sizeof(Real)];
    const SharedNzMemory memory(shared, parts);
    bring_nodes(part, 0, 1, memory);
    for (Index local = 0; local < elements_of(part); ++local) evaluate(local, fetched(part, local), memory);
    for (Index slice = 0; slice < slices_of(part); ++slice)
      for (Index warp = 0; warp < parts.split; ++warp)
        for (Index lane = 0; lane < warp_lanes; ++lane) sum_lane(part, slice, warp, lane, memory);
    for (Index slice = 0; slice < slices_of(part); ++slice)
      for (Index row = 0; row < warp_lanes; ++row) finish_row(part, slice, row, memory);
  }

 private:
  /// Σ of what the words [first, end) of a lane name.
  CARDIOWARP_HD Real sum_list(Index first, Index end, Index lane, const Real* numbers) const {
    constexpr Index batch = 4;
    Real sum = 0;
    for (Index from = first; from < end; from += batch) {
      std::uint32_t word[batch];
      for (Index k = 0; k < batch; ++k)
        if (from + k < end) word[k] = fetch<C>(parts.list + std::int64_t{warp_lanes} * (from + k) + lane);
      for (Index k = 0; k < batch; ++k)
        if (from + k < end) {
          sum += numbers[word[k] & 0xffffu];
          sum += numbers[word[k] >> 16u];
        }
    }
    return sum;
  }
};

/// What SharedNz needs beside the state, worked out once in a run in host memory.
struct SharedNzPlan {
  Index slices_a_part = 0, threads = 0, split = 1, most_elements = 0, most_nodes = 0;
  std::vector<Index> around_begin, around, element_begin;
  std::vector<std::uint32_t> element;
  std::vector<std::uint64_t> corners;
  std::vector<Index> list_begin, node_list_begin;
  std::vector<std::uint32_t> list, node_list;
  std::vector<std::uint16_t> local_column, diagonal;
  std::vector<Real> diffusion;  ///< [slots]
  std::vector<Real> volume;     ///< [elements] mm³

  Index parts() const { return static_cast<Index>(element_begin.size()) - 1; }
  /// A view without arrays, from which shared memory is counted.
  SharedNzView sizes() const;
  std::size_t shared_bytes() const { return SharedNzMemory::numbers(sizes()) * sizeof(Real); }
  /// How often an element is evaluated, in the mean.
  double evaluations() const { return static_cast<double>(element.size()) / static_cast<double>(volume.size()); }
  /// What elements and sums must move when states, volumes, φ and load are read once, with one state a cell.
  std::int64_t bytes() const;
};

/// Whether a matrix is in slices whose rows are in the sorted order.
bool shared_nz_suits(const MatrixLayout& layout);

/// Throws InputError where a part of one slice is too large for the shared memory of the device, with the numbers; a
/// host counts as a device of most_part_bytes.
SharedNzPlan shared_nz_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                            const MatrixLayout& layout, const Device& device, const SharedNzShape& wish = {});

/// Runs the body for all parts; a GPU has a kernel (shared_nz.cuh).
template <class B, class Body>
void sum_shared_nz(B& backend, const Body& body, Index /*threads*/) {
  static_assert(RunsGeneralCode<B>);
  backend.for_each(body.parts.parts, body);
}

/// The two numbers an element and their sums in one launch. evaluate_elements() only keeps the state.
template <Backend B, CellModel Cell>
class SharedNz final : public Assembly<B> {
 public:
  SharedNz(B& backend, const SharedNzPlan& plan, const std::vector<Tetrahedron>& /*tetrahedra*/,
           const std::vector<Cell>& cell_models, const std::vector<std::uint16_t>& cell_model)
      : sizes_(plan.sizes()),
        threads_(plan.threads),
        caching_(caching_for(backend, plan.bytes())),
        only_(cell_models.size() == 1 ? std::optional(cell_models.front()) : std::nullopt),
        around_begin_(uploaded(backend, plan.around_begin)),
        around_(uploaded(backend, plan.around)),
        element_begin_(uploaded(backend, plan.element_begin)),
        element_(uploaded(backend, plan.element)),
        corners_(uploaded(backend, plan.corners)),
        list_begin_(uploaded(backend, plan.list_begin)),
        list_(uploaded(backend, plan.list)),
        node_list_begin_(uploaded(backend, plan.node_list_begin)),
        node_list_(uploaded(backend, plan.node_list)),
        local_column_(uploaded(backend, plan.local_column)),
        diagonal_(uploaded(backend, plan.diagonal)),
        diffusion_(uploaded(backend, plan.diffusion)),
        volume_(uploaded(backend, plan.volume)),
        cell_models_(uploaded(backend, cell_models)),
        cell_model_(uploaded(backend, cell_model)) {}

  void evaluate_elements(B& /*backend*/, const ElementState& state) override { state_ = state; }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* /*phi*/, Real* negative_residual,
                Real* inverse_diagonal) override {
    const auto sum = [&]<Caching C, bool OneModel>() {
      sum_shared_nz(backend,
                SumSharedNz<Cell, C, OneModel>{view(), K.slices(diffusion_.data()), volume_.data(), cell_models_.data(),
                                            cell_model_.data(), state_, K.value(), negative_residual, inverse_diagonal,
                                            only_.value_or(Cell{})},
                threads_);
    };
    const bool streamed = caching_ == Caching::streamed;
    if (only_)
      streamed ? sum.template operator()<Caching::streamed, true>() : sum.template operator()<Caching::cached, true>();
    else
      streamed ? sum.template operator()<Caching::streamed, false>() : sum.template operator()<Caching::cached, false>();
  }

 private:
  SharedNzView view() const {
    SharedNzView view = sizes_;
    view.around_begin = around_begin_.data();
    view.around = around_.data();
    view.element_begin = element_begin_.data();
    view.element = element_.data();
    view.corners = corners_.data();
    view.list_begin = list_begin_.data();
    view.list = list_.data();
    view.node_list_begin = node_list_begin_.data();
    view.node_list = node_list_.data();
    view.local_column = local_column_.data();
    view.diagonal = diagonal_.data();
    return view;
  }

  SharedNzView sizes_;
  Index threads_;
  Caching caching_;
  std::optional<Cell> only_;
  ElementState state_{};
  Buffer<Index> around_begin_, around_, element_begin_;
  Buffer<std::uint32_t> element_;
  Buffer<std::uint64_t> corners_;
  Buffer<Index> list_begin_;
  Buffer<std::uint32_t> list_;
  Buffer<Index> node_list_begin_;
  Buffer<std::uint32_t> node_list_;
  Buffer<std::uint16_t> local_column_, diagonal_;
  Buffer<Real> diffusion_, volume_;
  Buffer<Cell> cell_models_;
  Buffer<std::uint16_t> cell_model_;
};

}  // namespace cardiowarp
