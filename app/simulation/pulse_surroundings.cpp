#include "app/simulation/pulse_surroundings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "app/simulation/tissue.hpp"
#include "assembly/sparsity.hpp"
#include "fem/cells/cell_model.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// What has activated a node, as far as it was looked at.
enum class Cause : std::uint8_t { unknown, pulse, earlier, elsewhere };

/// The places of the surroundings in which a pulse may have left something, in the order of their activation.
std::vector<Index> in_order_of_activation(std::span<const Real> activated_ms, Real since_ms) {
  std::vector<Index> order;
  for (std::size_t i = 0; i < activated_ms.size(); ++i)
    if (activated_ms[i] >= 0 && activated_ms[i] > since_ms - longest_pause_ms) order.push_back(static_cast<Index>(i));
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return activated_ms[a] < activated_ms[b] || (activated_ms[a] == activated_ms[b] && a < b);
  });
  return order;
}

/// Follows one pulse through its surroundings.
class Tracing {
 public:
  Tracing(const PulseSurroundings& around, std::span<const Real> activated_ms, const PulseSpan& pulse)
      : around_(around), at_(activated_ms), pulse_(pulse), cause_(activated_ms.size(), Cause::unknown) {}

  PulseTrace trace() {
    PulseTrace trace;
    const std::vector<Index> order = in_order_of_activation(at_, pulse_.since_ms);
    for (const Index i : order) {
      cause_[i] = cause_of(i);
      if (cause_[i] != Cause::pulse) continue;
      trace.activated = true;
      trace.last_ms = at_[i];
      trace.is_far = i >= around_.near;
      if (trace.is_far) return trace;
    }
    trace.met =
        has_joined_ || std::any_of(order.begin(), order.end(), [&](Index i) { return is_of_another_beside(i); });
    return trace;
  }

 private:
  Cause cause_of(Index i) {
    if (at_[i] <= pulse_.since_ms) return Cause::earlier;
    Index latest = -1;
    for_neighbors(i, [&](Index neighbor) {
      if (cause_[neighbor] != Cause::unknown && (latest < 0 || at_[neighbor] > at_[latest])) latest = neighbor;
    });
    const bool begins = latest < 0 || at_[i] - at_[latest] > longest_pause_ms;
    const bool is_stimulated = i < around_.stimulated;
    if (begins) return is_stimulated && at_[i] <= pulse_.until_ms ? Cause::pulse : Cause::elsewhere;
    const bool is_raised = is_stimulated && at_[i] <= pulse_.off_ms && at_[i] - pulse_.since_ms >= pulse_.raises_ms;
    has_joined_ = has_joined_ || (is_raised && cause_[latest] == Cause::earlier);
    return cause_[latest] == Cause::elsewhere && is_raised ? Cause::pulse : cause_[latest];
  }

  bool is_of_another_beside(Index i) const {
    if (cause_[i] == Cause::pulse || at_[i] <= pulse_.since_ms) return false;
    bool is_beside = false;
    for_neighbors(i, [&](Index neighbor) {
      is_beside =
          is_beside || (cause_[neighbor] == Cause::pulse && std::fabs(at_[i] - at_[neighbor]) <= longest_pause_ms);
    });
    return is_beside;
  }

  template <class Use>
  void for_neighbors(Index i, const Use& use) const {
    if (around_.row_begin.empty()) return;
    for (Index k = around_.row_begin[i]; k < around_.row_begin[i + 1]; ++k) use(around_.neighbor[k]);
  }

  const PulseSurroundings& around_;
  std::span<const Real> at_;
  PulseSpan pulse_;
  std::vector<Cause> cause_;  // [places]
  bool has_joined_ = false;   // the pulse raised a node beside a front that was there before
};

/// A node on the way out from the stimulated ones.
struct Found {
  Index node, from;  ///< the nearest of the stimulated nodes that is known
  int edges;         ///< on the way
  Real width_mm;     ///< of the widest front on the way
  bool is_far = false;
};

/// The nodes up to the far ones, which are the last that are looked at on each way. `place`, [nodes], is where each is
/// found, −1 where it is not.
std::vector<Found> found_around(const Sparsity& sparsity, const std::vector<Vector3>& position,
                                const std::vector<Index>& stimulated, const std::vector<Real>& widths_mm,
                                std::vector<Index>& place) {
  std::vector<Found> found;
  for (const Index node : stimulated) {
    place[node] = static_cast<Index>(found.size());
    found.push_back({node, node, 0, widths_mm[node]});
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    Found here = found[k];
    const auto distance_mm = [&](Index from) { return norm(position[here.node] - position[from]); };
    const auto for_neighbors = [&](const auto& use) {
      for (Index entry = sparsity.row_begin[here.node]; entry < sparsity.row_begin[here.node + 1]; ++entry)
        use(sparsity.column[entry]);
    };
    for_neighbors([&](Index neighbor) {
      if (place[neighbor] < 0) return;
      const Index from = found[place[neighbor]].from;
      if (distance_mm(from) < distance_mm(here.from)) here.from = from;
    });
    here.is_far = here.edges >= PulseSurroundings::far_edges &&
                  distance_mm(here.from) > PulseSurroundings::far_widths * here.width_mm;
    found[k] = here;
    if (here.is_far) continue;
    for_neighbors([&](Index neighbor) {
      if (place[neighbor] >= 0) return;
      place[neighbor] = static_cast<Index>(found.size());
      found.push_back({neighbor, here.from, here.edges + 1, std::max(here.width_mm, widths_mm[neighbor])});
    });
  }
  return found;
}

}  // namespace

Real front_width_mm(Real thickness_mm) { return 4 * std::atanh(Real(0.8)) * thickness_mm; }

std::vector<Real> front_widths_mm(const Tissue& tissue) {
  const Mesh& mesh = *tissue.mesh;
  const std::vector<Front> fronts = fronts_of(tissue.cell_models);
  std::vector<Real> of_elements_mm(mesh.tetrahedra.size());
  parallel_for(of_elements_mm.size(), [&](std::size_t element) {
    of_elements_mm[element] =
        front_width_mm(front_thickness_mm(fronts[tissue.cell_model[element]], tissue.diffusivity[element]).second);
  });
  std::vector<Real> widths_mm(mesh.nodes.size(), 0);
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const auto widen = [&, width_mm = of_elements_mm[element]](Index node) {
      widths_mm[node] = std::max(widths_mm[node], width_mm);
    };
    std::ranges::for_each(mesh.tetrahedra[element], widen);
    if (mesh.is_quadratic()) std::ranges::for_each(mesh.edge_nodes[element], widen);
  }
  return widths_mm;
}

PulseSurroundings surroundings_of(const Sparsity& sparsity, const std::vector<Vector3>& position,
                                  const std::vector<Index>& stimulated, const std::vector<Real>& widths_mm) {
  std::vector<Index> place(position.size(), -1);
  const std::vector<Found> found = found_around(sparsity, position, stimulated, widths_mm, place);
  PulseSurroundings around;
  around.stimulated = static_cast<Index>(stimulated.size());
  for (const bool is_far : {false, true}) {
    for (const Found& each : found)
      if (each.is_far == is_far) around.nodes.push_back(each.node);
    if (!is_far) around.near = static_cast<Index>(around.nodes.size());
  }
  if (!around.has_far()) return around;
  for (std::size_t k = 0; k < around.nodes.size(); ++k) place[around.nodes[k]] = static_cast<Index>(k);
  for (const Index node : around.nodes) {
    around.row_begin.push_back(static_cast<Index>(around.neighbor.size()));
    for (Index entry = sparsity.row_begin[node]; entry < sparsity.row_begin[node + 1]; ++entry)
      if (const Index neighbor = sparsity.column[entry]; neighbor != node && place[neighbor] >= 0)
        around.neighbor.push_back(place[neighbor]);
  }
  around.row_begin.push_back(static_cast<Index>(around.neighbor.size()));
  return around;
}

PulseTrace trace_of_pulse(const PulseSurroundings& around, std::span<const Real> activated_ms, const PulseSpan& pulse) {
  return Tracing(around, activated_ms, pulse).trace();
}

}  // namespace cardiowarp
