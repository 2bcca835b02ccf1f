#include "meshes/refine_long_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

constexpr Index nothing = -1;
constexpr Real rounding = 1e-9;  ///< of lengths, relatively: an edge as long as the length is not cut
using NodePair = std::array<std::size_t, 2>;
constexpr std::array<NodePair, 6> edges_of_tetrahedron{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/// An edge above the length, or one that has been cut.
struct LongEdge {
  Index a, b;              ///< its nodes, a < b
  Index around = 0;        ///< tetrahedra that have it
  Index longest_of = 0;    ///< those of them whose longest edge it is
  Index first = nothing;   ///< the first of these; each leads to the next
  Index middle = nothing;  ///< the node that it was cut at
  bool is_wanted = false;  ///< is to be cut
  bool is_in_queue = false;

  bool can_be_cut() const { return around > 0 && around == longest_of; }
};

/// The numbers of edges by their nodes: open addressing, at most half full.
class EdgeNumbers {
 public:
  explicit EdgeNumbers(const std::vector<LongEdge>& edges) : edges_(edges), slots_(1024, nothing) {}

  /// `nothing` where the edge is unknown.
  Index find(Index a, Index b) const { return slots_[slot_of(a, b)]; }

  /// Notes the edge that has been added last.
  void note_last() {
    if (2 * edges_.size() > slots_.size()) return grow();
    slots_[slot_of(edges_.back().a, edges_.back().b)] = static_cast<Index>(edges_.size() - 1);
  }

 private:
  std::size_t slot_of(Index a, Index b) const {
    const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(a)} << 32U | static_cast<std::uint32_t>(b);
    constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15ULL;  // Fibonacci hashing
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>((key * golden_ratio) >> 20U) & mask;
    while (slots_[slot] != nothing) {
      const LongEdge& edge = edges_[static_cast<std::size_t>(slots_[slot])];
      if (edge.a == a && edge.b == b) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow() {
    slots_.assign(4 * slots_.size(), nothing);
    for (std::size_t edge = 0; edge < edges_.size(); ++edge)
      slots_[slot_of(edges_[edge].a, edges_[edge].b)] = static_cast<Index>(edge);
  }

  const std::vector<LongEdge>& edges_;
  std::vector<Index> slots_;  ///< a power of two of them
};

class LongEdgeRefinement {
 public:
  LongEdgeRefinement(const Mesh& mesh, Real longest_mm, const std::vector<std::uint8_t>& wanted)
      : mesh_(mesh), most_(longest_mm * longest_mm * (1 + 2 * rounding)), wanted_(wanted), nodes_(mesh.nodes) {
    elements_.reserve(2 * mesh.tetrahedra.size());
    for (const Tetrahedron& nodes : mesh.tetrahedra) {
      const auto root = static_cast<Index>(elements_.size());
      elements_.push_back({nodes, root, nothing});
    }
  }

  Mesh run() {
    for (std::size_t element = 0; element < mesh_.tetrahedra.size(); ++element) enter(static_cast<Index>(element));
    do {
      for (std::size_t edge = 0; edge < edges_.size(); ++edge) enqueue(static_cast<Index>(edge));
      for (; done_ < queue_.size(); ++done_) cut(queue_[done_]);
      queue_.clear();
      done_ = 0;
    } while (!wanted_.empty() && want_what_is_in_the_way());
    return result();
  }

 private:
  struct Element {
    Tetrahedron nodes;
    Index root;  ///< the element of the given mesh that it is a piece of
    Index next;  ///< the next element with the same longest edge
  };

  /// The square of the length of an edge, the same whichever element asks.
  Real square(Index a, Index b) const {
    const Vector3 along =
        nodes_[static_cast<std::size_t>(std::max(a, b))] - nodes_[static_cast<std::size_t>(std::min(a, b))];
    return dot(along, along);
  }

  /// Calls `visit` with the number of each long edge of an element, made where it is unknown. Returns the number of the
  /// longest, `nothing` where none is long.
  template <class Visit>
  Index for_each_long_edge(const Tetrahedron& nodes, const Visit& visit) {
    Index longest = nothing;
    Real most = 0;
    for (const auto& [i, j] : edges_of_tetrahedron) {
      const Index a = std::min(nodes[i], nodes[j]), b = std::max(nodes[i], nodes[j]);
      const Real length = square(a, b);
      if (!(length > most_)) continue;
      const Index edge = number_of(a, b);
      if (longest == nothing || length > most || (length == most && is_before(edge, longest))) {
        longest = edge;
        most = length;
      }
      visit(edge);
    }
    return longest;
  }

  bool is_before(Index edge, Index other) const {
    const LongEdge &one = at(edge), &two = at(other);
    return std::pair(one.a, one.b) < std::pair(two.a, two.b);
  }

  Index number_of(Index a, Index b) {
    if (const Index known = numbers_.find(a, b); known != nothing) return known;
    if (edges_.size() >= std::size_t{std::numeric_limits<Index>::max()}) fail("long edges");
    edges_.push_back({.a = a, .b = b});
    numbers_.note_last();
    return static_cast<Index>(edges_.size() - 1);
  }

  /// Notes the long edges of an element.
  void enter(Index number) {
    Element& element = elements_[static_cast<std::size_t>(number)];
    bool has_wanted = is_wanted(element);
    const Index longest = for_each_long_edge(element.nodes, [&](Index edge) {
      ++at(edge).around;
      has_wanted = has_wanted || at(edge).is_wanted;
      touched_.push_back(edge);
    });
    if (longest == nothing) return;
    LongEdge& edge = at(longest);
    ++edge.longest_of;
    edge.is_wanted = edge.is_wanted || has_wanted;
    element.next = std::exchange(edge.first, number);
  }

  bool is_wanted(const Element& element) const {
    return wanted_.empty() || wanted_[static_cast<std::size_t>(element.root)] != 0;
  }

  void enqueue(Index number) {
    LongEdge& edge = at(number);
    if (!edge.can_be_cut() || !edge.is_wanted || edge.is_in_queue) return;
    edge.is_in_queue = true;
    queue_.push_back(number);
  }

  /// Cuts an edge and all elements around it.
  void cut(Index number) {
    const auto [a, b] = std::pair(at(number).a, at(number).b);
    if (nodes_.size() >= std::size_t{std::numeric_limits<Index>::max()}) fail("nodes");
    const auto middle = static_cast<Index>(nodes_.size());
    at(number).middle = middle;
    nodes_.push_back(0.5 * (nodes_[static_cast<std::size_t>(a)] + nodes_[static_cast<std::size_t>(b)]));
    touched_.clear();
    for (Index element = std::exchange(at(number).first, nothing); element != nothing;) {
      const Element parent = elements_[static_cast<std::size_t>(element)];
      for_each_long_edge(parent.nodes, [&](Index edge) { --at(edge).around; });
      --at(number).longest_of;
      if (elements_.size() >= std::size_t{std::numeric_limits<Index>::max()}) fail("tetrahedra");
      Element lower = parent, upper = parent;
      std::ranges::replace(lower.nodes, b, middle);
      std::ranges::replace(upper.nodes, a, middle);
      elements_[static_cast<std::size_t>(element)] = lower;
      elements_.push_back(upper);
      enter(element);
      enter(static_cast<Index>(elements_.size() - 1));
      element = parent.next;
    }
    for (const Index edge : touched_) enqueue(edge);
  }

  /// Elements with an edge that is to be cut, and a longer one, have to be cut there first. Whether there are such.
  bool want_what_is_in_the_way() {
    bool wants_more = false;
    for (const Element& element : elements_) {
      bool has_wanted = false;
      const Index longest =
          for_each_long_edge(element.nodes, [&](Index edge) { has_wanted = has_wanted || at(edge).is_wanted; });
      if (!has_wanted || at(longest).is_wanted) continue;
      at(longest).is_wanted = true;
      wants_more = true;
    }
    return wants_more;
  }

  Mesh result() const {
    Mesh mesh;
    mesh.nodes = nodes_;
    mesh.volume_names = mesh_.volume_names;
    mesh.surface_names = mesh_.surface_names;
    std::vector<std::size_t> end(mesh_.tetrahedra.size() + 1, 0);
    for (const Element& element : elements_) ++end[static_cast<std::size_t>(element.root) + 1];
    for (std::size_t root = 1; root < end.size(); ++root) end[root] += end[root - 1];
    mesh.tetrahedra.resize(elements_.size());
    std::vector<std::size_t> roots(elements_.size());
    for (const Element& element : elements_) {
      const auto root = static_cast<std::size_t>(element.root);
      roots[end[root]] = root;
      mesh.tetrahedra[end[root]++] = element.nodes;
    }
    mesh.element_tags = of_roots(mesh_.element_tags, roots);
    mesh.fibers = of_roots(mesh_.fibers, roots);
    mesh.further_element_tags = {of_roots(mesh_.further_element_tags.set_of_cell, roots),
                                 mesh_.further_element_tags.sets};
    roots.clear();
    for (std::size_t triangle = 0; triangle < mesh_.triangles.size(); ++triangle) {
      add_pieces(mesh_.triangles[triangle], mesh.triangles);
      roots.resize(mesh.triangles.size(), triangle);
    }
    mesh.triangle_tags = of_roots(mesh_.triangle_tags, roots);
    mesh.further_triangle_tags = {of_roots(mesh_.further_triangle_tags.set_of_cell, roots),
                                  mesh_.further_triangle_tags.sets};
    return mesh;
  }

  template <class T>
  static std::vector<T> of_roots(const std::vector<T>& values, const std::vector<std::size_t>& roots) {
    std::vector<T> result;
    if (values.empty()) return result;
    result.reserve(roots.size());
    for (const std::size_t root : roots) result.push_back(values[root]);
    return result;
  }

  /// The pieces of a triangle, which was cut where the first of its edges was, and its pieces after it. New nodes are
  /// numbered in the order in which edges were cut.
  void add_pieces(const Triangle& triangle, std::vector<Triangle>& pieces) const {
    std::vector<Triangle> left{triangle};
    while (!left.empty()) {
      const Triangle nodes = left.back();
      left.pop_back();
      Index first = nothing;
      std::size_t cut_at = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = nodes[k], b = nodes[(k + 1) % 3];
        const Index edge = numbers_.find(std::min(a, b), std::max(a, b));
        const Index middle = edge == nothing ? nothing : at(edge).middle;
        if (middle == nothing || (first != nothing && first < middle)) continue;
        first = middle;
        cut_at = k;
      }
      if (first == nothing) {
        pieces.push_back(nodes);
        continue;
      }
      Triangle one = nodes, other = nodes;
      one[(cut_at + 1) % 3] = first;
      other[cut_at] = first;
      left.push_back(other);
      left.push_back(one);
    }
  }

  LongEdge& at(Index edge) { return edges_[static_cast<std::size_t>(edge)]; }
  const LongEdge& at(Index edge) const { return edges_[static_cast<std::size_t>(edge)]; }

  [[noreturn]] static void fail(const char* what) {
    throw InputError(fmt::format("--below: expected at most {} {} in the refined mesh: a larger length",
                                 std::numeric_limits<Index>::max(), what));
  }

  const Mesh& mesh_;
  Real most_;  ///< the square of the length
  const std::vector<std::uint8_t>& wanted_;
  std::vector<Vector3> nodes_;
  std::vector<Element> elements_;
  std::vector<LongEdge> edges_;
  EdgeNumbers numbers_{edges_};
  std::vector<Index> queue_, touched_;
  std::size_t done_ = 0;  ///< of the queue
};

}  // namespace

Mesh refine_long_edges(const Mesh& mesh, Real longest_mm, const std::vector<std::uint8_t>& wanted) {
  return LongEdgeRefinement(mesh, longest_mm, wanted).run();
}

Real estimated_pieces(const Mesh& mesh, Real longest_mm, const std::vector<std::uint8_t>& wanted) {
  Real pieces = 0;
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const Tetrahedron& nodes = mesh.tetrahedra[element];
    Real longest = 0;
    for (const auto& [i, j] : edges_of_tetrahedron)
      longest = std::max(longest, norm(mesh.nodes[static_cast<std::size_t>(nodes[i])] -
                                       mesh.nodes[static_cast<std::size_t>(nodes[j])]));
    const bool is_cut = longest > longest_mm && (wanted.empty() || wanted[element] != 0);
    pieces += is_cut ? std::max<Real>(2, std::pow(longest / longest_mm, 3)) : 1;
  }
  return pieces;
}

}  // namespace cardiowarp
