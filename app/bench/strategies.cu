#include "app/bench/strategies.cuh"

#include "app/bench/dummy_elements.hpp"
#include "assembly/formats.cuh"
#include "assembly/papers/element_scatter.cuh"
#include "assembly/papers/global_nz.cuh"
#include "assembly/papers/lazy_ell.hpp"
#include "assembly/papers/local_sums.hpp"
#include "assembly/papers/shared_nz.cuh"
#include "fem/cells/aliev_panfilov.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/sparse/scatter.cuh"

namespace cardiowarp {
namespace {

const std::vector<AlievPanfilov>& cells_of(const SimulationPlan& plan) {
  return std::get<std::vector<AlievPanfilov>>(*plan.problem().cell_models);
}

using LinearArrays = ElementArrays<CudaBackend, AlievPanfilov>;

/// The elements of the tissue of a plan on the device.
LinearArrays elements_of(CudaBackend& backend, const SimulationPlan& plan, const std::vector<Real>& volume) {
  const Problem& problem = plan.problem();
  return {backend, *problem.mesh, problem.diffusivity, volume, cells_of(plan), problem.cell_model};
}

/// shared_nz in one shape; its name is followed by the shape where that is asked for.
NamedStrategy shared_nz(const SharedNzShape& shape) {
  std::string name = "shared_nz";
  if (shape.rows > 0) name += "_" + std::to_string(shape.rows) + "x" + std::to_string(shape.threads);
  if (shape.kib > 0) name += "_" + std::to_string(shape.kib) + "kib_x" + std::to_string(shape.threads);
  return {name, [shape](CudaBackend& backend, const SimulationPlan& plan) {
            const Problem& problem = plan.problem();
            const Mesh& mesh = *problem.mesh;
            const SharedNzPlan parts =
                shared_nz_plan(mesh, problem.diffusivity, plan.sparsity, plan.matrix, backend.device(), shape);
            return MadeStrategy{std::make_unique<SharedNz<CudaBackend, AlievPanfilov>>(
                                    backend, parts, mesh.tetrahedra, cells_of(plan), problem.cell_model),
                                0, parts.bytes()};
          }};
}

/// shared_nz_general in one shape; its name is followed by the shape where that is asked for.
NamedStrategy shared_nz_general(const GeneralPartsShape& shape) {
  std::string name = "shared_nz_general";
  if (shape.metis) name += "_metis";
  if (shape.nodes > 0) name += "_" + std::to_string(shape.nodes) + "x" + std::to_string(shape.threads);
  return {name, [shape](CudaBackend& backend, const SimulationPlan& plan) {
            const Problem& problem = plan.problem();
            const SharedNzGeneralPlan parts =
                shared_nz_general_plan(*problem.mesh, plan.sparsity, plan.matrix, backend.device(), shape);
            return MadeStrategy{std::make_unique<SharedNzGeneral<CudaBackend, LinearArrays>>(
                                    backend, parts, elements_of(backend, plan, parts.volume)),
                                0, parts.bytes()};
          }};
}

/// The name of a strategy for a kind of elements.
std::string name_for(const std::string& name, ElementKind kind) {
  return kind == ElementKind::general ? name + "_general" : name;
}

NamedStrategy element_scatter(const std::string& name, ScatterWay way, ElementKind kind, Index split = 1) {
  return {name_for(name, kind), [way, kind, split](CudaBackend& backend, const SimulationPlan& plan) {
            const Problem& problem = plan.problem();
            const ElementScatterPlan scatter = element_scatter_plan({way, kind, split}, *problem.mesh,
                                                                    problem.diffusivity, plan.sparsity, plan.matrix);
            return MadeStrategy{std::make_unique<ElementScatter<CudaBackend, LinearArrays>>(
                                    backend, scatter, elements_of(backend, plan, scatter.volume)),
                                0, scatter.bytes()};
          }};
}

NamedStrategy local_sums(const std::string& name, bool by_row, ElementKind kind) {
  return {name_for(name, kind), [by_row, kind](CudaBackend& backend, const SimulationPlan& plan) {
            const Problem& problem = plan.problem();
            const LocalSumsPlan sums =
                local_sums_plan(by_row, kind, *problem.mesh, problem.diffusivity, plan.sparsity, plan.matrix);
            return MadeStrategy{std::make_unique<LocalSums<CudaBackend, LinearArrays>>(
                                    backend, sums, plan.sparsity, elements_of(backend, plan, sums.volume)),
                                0, sums.bytes()};
          }};
}

NamedStrategy lazy_ell(ElementKind kind) {
  return {name_for("lazy_ell", kind), [kind](CudaBackend& backend, const SimulationPlan& plan) {
            const Problem& problem = plan.problem();
            const LazyEllPlan lazy =
                lazy_ell_plan(kind, *problem.mesh, problem.diffusivity, plan.sparsity, plan.matrix);
            return MadeStrategy{std::make_unique<LazyEll<CudaBackend, LinearArrays>>(
                                    backend, lazy, plan.sparsity, elements_of(backend, plan, lazy.volume)),
                                0, lazy.bytes()};
          }};
}

/// Elements as those of global_nz_general that compute nothing.
std::function<void(CudaBackend&, const ElementState&)> dummy_elements(CudaBackend& backend, const Problem& problem,
                                                                      const std::vector<AlievPanfilov>& cells) {
  struct Dummy {
    LinearArrays elements;
    Buffer<Real> number;
  };
  const auto dummy =
      std::make_shared<Dummy>(Dummy{{backend, *problem.mesh, problem.diffusivity, {}, cells, problem.cell_model},
                                    backend.allocate<Real>(general_numbers * (problem.mesh->tetrahedra.size() + 1))});
  return [dummy](CudaBackend& on, const ElementState& state) {
    const Index count = dummy->elements.count();
    on.for_each(count, MoveGeneralElements<AlievPanfilov>{dummy->elements.at(state), {count, dummy->number.data()}});
  };
}

NamedStrategy global_nz(const std::string& name, const GlobalNzOptions& options) {
  return {name, [options](CudaBackend& backend, const SimulationPlan& plan) {
            const Problem& problem = plan.problem();
            const GlobalNzPlan sums = global_nz_plan(*problem.mesh, plan.sparsity, plan.matrix, options);
            const bool plain = options.elements == GlobalElements::plain && options.sums == GlobalSums::of_a_thread;
            return MadeStrategy{
                std::make_unique<GlobalNz<CudaBackend, AlievPanfilov>>(
                    backend, sums, *problem.mesh, problem.diffusivity, cells_of(plan), problem.cell_model),
                sums.element_bytes(), sums.bytes(), plain ? dummy_elements(backend, problem, cells_of(plan)) : nullptr,
                sums.padding()};
          }};
}

}  // namespace

std::vector<NamedStrategy> strategies_of_the_papers(const AssemblyBenchOptions& options) {
  std::vector<NamedStrategy> all;
  all.push_back(shared_nz({}));
  for (const Index threads : options.part_threads) {
    for (const Index rows : options.part_nodes) all.push_back(shared_nz({rows, 0, threads}));
    for (const Index kib : options.part_kib) all.push_back(shared_nz({0, kib, threads}));
  }
  all.push_back(shared_nz_general({}));
  for (const Index nodes : options.part_nodes)
    for (const Index threads : options.part_threads) all.push_back(shared_nz_general({nodes, threads}));
  if (has_metis()) all.push_back(shared_nz_general({.metis = true}));
  all.push_back(global_nz("global_nz_general", {}));
  all.push_back(global_nz("global_nz_prefetched_general", {.elements = GlobalElements::prefetched}));
  if (has_metis())
    all.push_back(
        global_nz("global_nz_prefetched_general_metis", {.elements = GlobalElements::prefetched, .metis = true}));
  all.push_back(global_nz("global_nz_nodal_general", {.elements = GlobalElements::nodal}));
  all.push_back(global_nz("global_nz_packed_general", {.sums = GlobalSums::packed}));
  for (const ElementKind kind : {ElementKind::two_numbers, ElementKind::general}) {
    all.push_back(local_sums("local_row", true, kind));
    all.push_back(local_sums("local_nz", false, kind));
    all.push_back(element_scatter("elem_color", ScatterWay::elem_color, kind));
    all.push_back(element_scatter("two_level_color", ScatterWay::two_level_color, kind));
    all.push_back(element_scatter("atomics", ScatterWay::atomics, kind));
    all.push_back(lazy_ell(kind));
  }
  for (const Index split : {2, 4})
    all.push_back(element_scatter("elem_color_split_" + std::to_string(split), ScatterWay::elem_color,
                                  ElementKind::general, split));
  return all;
}

}  // namespace cardiowarp
