#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/reaction_elements.hpp"
#include "assembly/sparsity.hpp"
#include "fem/diffusivity.hpp"
#include "fem/element_nodes.hpp"
#include "kernels/backend/device.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/warp_lanes.hpp"

namespace cardiowarp {

struct Mesh;

// The assembly `shared_nz`: elements and sums in one launch, as SharedNZ of Cecka, Lew and Darve (2011, "paper 004",
// sec. 4.3) has them, for the two numbers an element of this program. The nodes are cut into parts along a Hilbert
// curve, and a part has a block of threads. The block brings φ and load of all nodes of the part to shared memory, its
// own and those around them, evaluates each element that has one of its own nodes, leaves the two numbers there, and
// adds up every entry of its rows from them by lists of local numbers of 16 bits:
//
//   memory           φ, load of nodes        elements: corners, volume, states        D, lists       K, −R, 1 / K_II
//                        |                          |                                    |                ^
//   shared memory        +--> φ, load (local) ------+--> tangent, residual (local) ------+----------------+
//
// The two numbers of an element never are in memory. In return an element whose nodes are in several parts is evaluated
// in each of them; the part of its first corner alone stores its states. Nothing is written by two threads, and every
// sum has a fixed order: the same bits in every run. The rows of a part are sorted by length, 32 make a group, of which
// each lane has a row, and layer k of a group has entry k of each of them. All that a part reads of its matrix is
// stored in this order; K is written to wherever its format has it.
//
// Bytes: an element takes 20 each time it is evaluated (its number, four local corners of 16 bits, its volume) and 8
// for each state, to which the stored states come once; the two numbers 16 of shared memory. An entry takes 18 (D, K,
// its local column), an eighth for where its list begins, and 2 for each element of its list, filled up to the longest
// of the 32 and an even number; a row 2 for each of its elements and 42. A node around a part takes 4, and 16 more of
// the cache. SharedNzPlan::bytes() adds this up.

/// How the nodes are cut into parts, and the threads that a part has.
struct SharedNzShape {
  Index rows = 0;     ///< of a part at most; 0: what suits, or with `kib` as many as fit
  Index kib = 0;      ///< of shared memory that a part may take; 0: all that there is
  Index threads = 0;  ///< of a block, a multiple of 32; 0: what suits
};

/// Where the entries of a row are stored, and which of them is the diagonal. 12 bytes.
struct SharedNzRow {
  std::uint32_t first_slot = 0;
  std::uint16_t length = 0, diagonal = 0;
  std::uint32_t lanes = 1;  ///< as in ELL-WARP; in compressed rows so many that an entry is behind the one before

  CARDIOWARP_HD std::int64_t slot(std::uint32_t entry) const {
    return std::int64_t{first_slot} + entry % lanes + std::int64_t{warp_lanes} * (entry / lanes);
  }
};

/// All that a block of threads knows of its part, in backend memory.
struct SharedNzView {
  Index parts;
  Index split;                        ///< warps that share the layers of a group, each with sums of its own
  Index most_numbers;                 ///< of 8 bytes in the shared memory of a part
  const Index* node_begin;            ///< [parts + 1] first of the nodes of each part
  const Index* node;                  ///< own ones, longest row first, then those around; places are local numbers
  const Index* own;                   ///< [parts] how many are its own
  const Index* element_begin;         ///< [parts + 1]
  const std::uint32_t* element;       ///< ascending in a part; the highest bit is set where another part stores states
  const std::uint64_t* corners;       ///< the local numbers of the four corners, 16 bits each
  const Index* group_begin;           ///< [parts + 1]
  const Index* layer_begin;           ///< [groups + 1]
  const Real* diffusion;              ///< [32 × layers] D
  const std::uint16_t* local_column;  ///< [32 × layers]
  const Index* list_begin;            ///< [layers + 1] first word of the lists of a layer, over 32
  const std::uint32_t* list;          ///< two local elements a word; a word of each lane, then the next of each
  const Index* node_list_begin;       ///< [groups + 1] likewise the elements of the rows
  const std::uint32_t* node_list;     ///< padding is the number of elements of the part
  const SharedNzRow* row;             ///< [32 × groups]
};

/// Where a part has its numbers in shared memory. The sums take the place of load when all elements are evaluated.
struct SharedNzMemory {
  Real *tangent, *residual;          ///< [elements + 1] the last is 0
  Real *phi, *load;                  ///< [nodes]
  Real *tangent_sum, *residual_sum;  ///< [split × 32 groups] of each lane
  Real* diagonal;                    ///< [32 groups] D_II of each row
  Index lanes;                       ///< 32 groups

  CARDIOWARP_HD SharedNzMemory(Real* shared, Index elements, Index nodes, Index groups, Index split)
      : tangent(shared),
        residual(tangent + elements + 1),
        phi(residual + elements + 1),
        load(phi + nodes),
        tangent_sum(load),
        residual_sum(tangent_sum + std::ptrdiff_t{warp_lanes} * groups * split),
        diagonal(residual_sum + std::ptrdiff_t{warp_lanes} * groups * split),
        lanes(warp_lanes * groups) {}

  /// Numbers of 8 bytes that it takes.
  static std::size_t numbers(std::size_t elements, std::size_t nodes, std::size_t groups, std::size_t split) {
    return 2 * (elements + 1) + nodes + std::max(nodes, (2 * split + 1) * std::size_t{warp_lanes} * groups);
  }
};

/// The most shared memory of any part: what a block of an A100 or H100 can have, and the host keeps on its stack.
inline constexpr std::size_t most_part_bytes = 224 << 10;

/// Work of a block of threads for a part, in three passes between which the threads wait for each other (kernel:
/// shared_nz.cuh). A host does it in the same order, part by part, with the same sums.
template <CellModel Cell, Caching C = Caching::cached, bool OneModel = false>
struct SumSharedNz {
  SharedNzView parts;
  const Real* volume;
  const Cell* cell_models;
  const std::uint16_t* cell_model;
  ElementState state;
  Real* value;              ///< [slots] out: K
  Real* negative_residual;  ///< [rows] out: −R
  Real* inverse_diagonal;   ///< [rows] out
  Cell only = {};

  static constexpr std::uint32_t other_stores = 0x80000000u;

  /// The numbers that are fetched of an element.
  struct Fetched {
    std::uint32_t element;
    std::uint64_t corners;
    Real volume;
    Real states[Cell::states];
  };

  CARDIOWARP_HD Index groups_of(Index part) const { return parts.group_begin[part + 1] - parts.group_begin[part]; }
  CARDIOWARP_HD Index elements_of(Index part) const {
    return parts.element_begin[part + 1] - parts.element_begin[part];
  }
  CARDIOWARP_HD SharedNzMemory memory_of(Index part, Real* shared) const {
    return {shared, elements_of(part), parts.node_begin[part + 1] - parts.node_begin[part], groups_of(part),
            parts.split};
  }

  /// Pass 1, of one of `threads` threads: φ and load of the nodes of the part.
  CARDIOWARP_HD void bring_nodes(Index part, Index thread, Index threads, const SharedNzMemory& memory) const {
    const Index begin = parts.node_begin[part], nodes = parts.node_begin[part + 1] - begin;
    for (Index i = thread; i < nodes; i += threads) {
      const Index node = fetch<C>(parts.node + begin + i);
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

  /// Pass 3, of one lane of one of the `split` warps of a group: K but for the diagonal, and what it has of the sums of
  /// its row.
  CARDIOWARP_HD void sum_lane(Index part, Index group_in_part, Index warp, Index lane,
                              const SharedNzMemory& memory) const {
    const Index group = parts.group_begin[part] + group_in_part, first_layer = parts.layer_begin[group],
                layers = parts.layer_begin[group + 1] - first_layer;
    const SharedNzRow row = parts.row[warp_lanes * std::int64_t{group} + lane];
    Real product = 0;
    // What a layer needs is on its way while the one before is summed, and where its lists begin one earlier.
    const Index* const begin = parts.list_begin + first_layer;
    Layer now{}, next{};
    Index next_first = 0, next_end = 0;
    if (warp < layers) now = fetched_layer(first_layer + warp, begin[warp], begin[warp + 1], lane);
    if (warp + parts.split < layers) {
      next_first = begin[warp + parts.split];
      next_end = begin[warp + parts.split + 1];
    }
    for (Index layer = warp; layer < layers; layer += parts.split) {
      const Index following = layer + parts.split, after = following + parts.split;
      if (following < layers) next = fetched_layer(first_layer + following, next_first, next_end, lane);
      if (after < layers) {
        next_first = begin[after];
        next_end = begin[after + 1];
      }
      const Real sum = sum_list(now, lane, memory.tangent);
      product += now.diffusion * memory.phi[now.column];
      if (layer == row.diagonal)
        memory.diagonal[warp_lanes * group_in_part + lane] = now.diffusion;
      else if (layer < row.length)
        value[row.slot(static_cast<std::uint32_t>(layer))] = now.diffusion + sum;
      now = next;
    }
    const Index words = parts.node_list_begin[group], end = parts.node_list_begin[group + 1];
    Real tangent = 0, residual = 0;
    for (Index from = words + warp; from < end; from += batch * parts.split) {
      std::uint32_t word[batch] = {};
      for (Index k = 0; k < batch; ++k)
        if (from + k * parts.split < end)
          word[k] = fetch<C>(parts.node_list + std::int64_t{warp_lanes} * (from + k * parts.split) + lane);
      for (Index k = 0; k < batch; ++k)
        if (from + k * parts.split < end) {
          const std::uint32_t a = word[k] & 0xffffu, b = word[k] >> 16u;
          tangent += memory.tangent[a];
          residual += memory.residual[a];
          tangent += memory.tangent[b];
          residual += memory.residual[b];
        }
    }
    const Index place = warp * memory.lanes + warp_lanes * group_in_part + lane;
    memory.tangent_sum[place] = tangent;
    memory.residual_sum[place] = product + residual;
  }

  /// Pass 4, for one of the own rows of the part: its diagonal and −R.
  CARDIOWARP_HD void finish_row(Index part, Index local, const SharedNzMemory& memory) const {
    const SharedNzRow row = parts.row[warp_lanes * std::int64_t{parts.group_begin[part]} + local];
    const Index node = parts.node[parts.node_begin[part] + local];
    Real tangent = 0, residual = 0;
    for (Index warp = 0; warp < parts.split; ++warp) {
      tangent += memory.tangent_sum[warp * memory.lanes + local];
      residual += memory.residual_sum[warp * memory.lanes + local];
    }
    const Real diagonal = memory.diagonal[local] + tangent;
    value[row.slot(row.diagonal)] = diagonal;
    inverse_diagonal[node] = 1 / diagonal;
    negative_residual[node] = -residual;
  }

  /// Loop body over the parts.
  CARDIOWARP_HD void operator()(Index part) const {
    Real shared[most_part_bytes / sizeof(Real)];
    const SharedNzMemory memory = memory_of(part, shared);
    bring_nodes(part, 0, 1, memory);
    for (Index local = 0; local < elements_of(part); ++local) evaluate(local, fetched(part, local), memory);
    for (Index group = 0; group < groups_of(part); ++group)
      for (Index warp = 0; warp < parts.split; ++warp)
        for (Index lane = 0; lane < warp_lanes; ++lane) sum_lane(part, group, warp, lane, memory);
    for (Index local = 0; local < parts.own[part]; ++local) finish_row(part, local, memory);
  }

 private:
  static constexpr Index batch = 4;  ///< words of a list that are fetched at once

  /// A lane's share of a layer: D, the local column, and the first words of its list.
  struct Layer {
    Index first, end;
    Real diffusion;
    Index column;
    std::uint32_t word[batch];
  };

  CARDIOWARP_HD Layer fetched_layer(Index layer, Index first, Index end, Index lane) const {
    const std::int64_t at = warp_lanes * std::int64_t{layer} + lane;
    Layer fetched;
    fetched.first = first;
    fetched.end = end;
    fetched.diffusion = fetch<C>(parts.diffusion + at);
    fetched.column = fetch<C>(parts.local_column + at);
    for (Index k = 0; k < batch; ++k)
      fetched.word[k] = first + k < end ? fetch<C>(parts.list + std::int64_t{warp_lanes} * (first + k) + lane) : 0;
    return fetched;
  }

  /// Σ of what the words of a lane's list name.
  CARDIOWARP_HD Real sum_list(const Layer& layer, Index lane, const Real* numbers) const {
    Real sum = 0;
    for (Index k = 0; k < batch; ++k)
      if (layer.first + k < layer.end) {
        sum += numbers[layer.word[k] & 0xffffu];
        sum += numbers[layer.word[k] >> 16u];
      }
    for (Index word = layer.first + batch; word < layer.end; ++word) {
      const std::uint32_t two = fetch<C>(parts.list + std::int64_t{warp_lanes} * word + lane);
      sum += numbers[two & 0xffffu];
      sum += numbers[two >> 16u];
    }
    return sum;
  }
};

/// All that SharedNz needs beside the state, worked out once in a run in host memory.
struct SharedNzPlan {
  Index threads = 0, split = 1, most_groups = 0;
  std::size_t shared_bytes = 0;  ///< of the largest part
  std::vector<Index> node_begin, node, own, element_begin, group_begin, layer_begin, list_begin, node_list_begin;
  std::vector<std::uint32_t> element, list, node_list;
  std::vector<std::uint64_t> corners;
  std::vector<Real> diffusion;
  std::vector<std::uint16_t> local_column;
  std::vector<SharedNzRow> row;
  std::vector<Real> volume;  ///< [elements] mm³

  Index parts() const { return static_cast<Index>(own.size()); }
  /// How often an element is evaluated, in the mean.
  double evaluations() const { return static_cast<double>(element.size()) / static_cast<double>(volume.size()); }
  /// The bytes that elements and sums must move when states, volumes, φ and load are read once, with one state a cell.
  std::int64_t bytes() const;
};

/// Whether a matrix has the entries of a row where a SharedNzRow can find them: compressed rows and ELL-WARP have.
bool shared_nz_suits(const MatrixLayout& layout);

/// Throws InputError where the elements of one node are too many for the shared memory of the device, with the numbers;
/// a host counts as a device of most_part_bytes.
SharedNzPlan shared_nz_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                            const MatrixLayout& layout, const Device& device, const SharedNzShape& wish = {});

/// Runs the body for all parts; a GPU has a kernel (shared_nz.cuh).
template <class B, class Body>
void sum_shared_nz(B& backend, const Body& body, Index /*threads*/) {
  static_assert(RunsGeneralCode<B>, "include assembly/papers/shared_nz.cuh");
  backend.for_each(body.parts.parts, body);
}

/// The two numbers an element and their sums in one launch. evaluate_elements() only keeps the state.
template <Backend B, CellModel Cell>
class SharedNz final : public Assembly<B> {
 public:
  SharedNz(B& backend, const SharedNzPlan& plan, const std::vector<Tetrahedron>& /*tetrahedra*/,
           const std::vector<Cell>& cell_models, const std::vector<std::uint16_t>& cell_model)
      : parts_(plan.parts()),
        split_(plan.split),
        most_numbers_(static_cast<Index>(plan.shared_bytes / sizeof(Real))),
        threads_(plan.threads),
        caching_(caching_for(backend, plan.bytes())),
        only_(cell_models.size() == 1 ? std::optional(cell_models.front()) : std::nullopt),
        node_begin_(uploaded(backend, plan.node_begin)),
        node_(uploaded(backend, plan.node)),
        own_(uploaded(backend, plan.own)),
        element_begin_(uploaded(backend, plan.element_begin)),
        group_begin_(uploaded(backend, plan.group_begin)),
        layer_begin_(uploaded(backend, plan.layer_begin)),
        list_begin_(uploaded(backend, plan.list_begin)),
        node_list_begin_(uploaded(backend, plan.node_list_begin)),
        element_(uploaded(backend, plan.element)),
        list_(uploaded(backend, plan.list)),
        node_list_(uploaded(backend, plan.node_list)),
        corners_(uploaded(backend, plan.corners)),
        local_column_(uploaded(backend, plan.local_column)),
        row_(uploaded(backend, plan.row)),
        diffusion_(uploaded(backend, plan.diffusion)),
        volume_(uploaded(backend, plan.volume)),
        cell_models_(uploaded(backend, cell_models)),
        cell_model_(uploaded(backend, cell_model)) {}

  void evaluate_elements(B& /*backend*/, const ElementState& state) override { state_ = state; }
  bool evaluates_ahead() const override { return false; }

  void assemble(B& backend, GlobalMatrix<B>& K, const Real* /*phi*/, Real* negative_residual,
                Real* inverse_diagonal) override {
    const auto sum = [&]<Caching C, bool OneModel>() {
      sum_shared_nz(
          backend,
          SumSharedNz<Cell, C, OneModel>{view(), volume_.data(), cell_models_.data(), cell_model_.data(), state_,
                                         K.value(), negative_residual, inverse_diagonal, only_.value_or(Cell{})},
          threads_);
    };
    const bool streamed = caching_ == Caching::streamed;
    if (only_)
      streamed ? sum.template operator()<Caching::streamed, true>() : sum.template operator()<Caching::cached, true>();
    else
      streamed ? sum.template operator()<Caching::streamed, false>()
               : sum.template operator()<Caching::cached, false>();
  }

 private:
  SharedNzView view() const {
    SharedNzView view{};
    view.parts = parts_;
    view.split = split_;
    view.most_numbers = most_numbers_;
    view.node_begin = node_begin_.data();
    view.node = node_.data();
    view.own = own_.data();
    view.element_begin = element_begin_.data();
    view.element = element_.data();
    view.corners = corners_.data();
    view.group_begin = group_begin_.data();
    view.layer_begin = layer_begin_.data();
    view.diffusion = diffusion_.data();
    view.local_column = local_column_.data();
    view.list_begin = list_begin_.data();
    view.list = list_.data();
    view.node_list_begin = node_list_begin_.data();
    view.node_list = node_list_.data();
    view.row = row_.data();
    return view;
  }

  Index parts_, split_, most_numbers_, threads_;
  Caching caching_;
  std::optional<Cell> only_;
  ElementState state_{};
  Buffer<Index> node_begin_, node_, own_, element_begin_, group_begin_, layer_begin_, list_begin_, node_list_begin_;
  Buffer<std::uint32_t> element_, list_, node_list_;
  Buffer<std::uint64_t> corners_;
  Buffer<std::uint16_t> local_column_;
  Buffer<SharedNzRow> row_;
  Buffer<Real> diffusion_, volume_;
  Buffer<Cell> cell_models_;
  Buffer<std::uint16_t> cell_model_;
};

}  // namespace cardiowarp
