// What a run reports in summary.json, typed in as configuration, gives the same run.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/output/summary.hpp"
#include "app/simulation/backward_euler.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/reported_methods.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "fem/scaling.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

const std::string wave =
    "mesh: {file: heart.msh}\n"
    "time: {end: 1, step: 0.1, scheme: backward_euler}\n"
    "quadrature: centroid\n"
    "initial: {regions: [{where: {sphere: {center: [0, 0, 0], radius: 1.2}}, potential: 20}]}\n";

/// n tetrahedra around one edge, whose two nodes have rows of n + 2 entries.
Mesh wheel(Index n) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {0, 0, 1}};
  for (Index i = 0; i < n; ++i) {
    const Real angle = 2 * std::acos(-1.0) * i / n;
    mesh.nodes.push_back({std::cos(angle), std::sin(angle), 0.5});
    mesh.tetrahedra.push_back({0, 1, 2 + i, 2 + (i + 1) % n});
  }
  mesh.element_tags.assign(n, 0);
  return mesh;
}

/// The first change of φ, in the order of the plan, by the general implementation of what a device does with it.
std::vector<Real> first_update(const SimulationPlan& plan) {
  CpuBackend cpu;
  BackwardEuler<CpuBackend> equation(cpu, plan);
  const Buffer<Real> source = cpu.allocate<Real>(plan.sparsity.rows());
  equation.attempt(plan.problem().scaling().tau_from_ms(0.1), source.data());
  std::vector<Real> update(plan.sparsity.rows());
  cpu.download(equation.iterate(), std::span<Real>(update));
  return update;
}

class TypedIn : public test::Configuration {
 protected:
  SimulationPlan plan(const std::string& wish, const Mesh& mesh, const Device& device,
                      const std::vector<Override>& typed = {}) const {
    return plan_simulation(build_problem(load(wave + wish, typed), mesh), device);
  }

  /// Every key of summary.json that names a method, as a setting.
  static std::vector<Override> reported(const SimulationPlan& plan) {
    RunSummary summary;
    summary.methods = reported_methods(plan, plan.solver.path);
    const nlohmann::json json = nlohmann::json::parse(summary_json(summary));
    std::vector<Override> settings;
    for (const auto& [reported, key] :
         std::vector<std::pair<std::string, std::string>>{{"spmv", "linear_solver.spmv"},
                                                          {"threshold", "linear_solver.threshold"},
                                                          {"sorting_window", "linear_solver.sorting_window"},
                                                          {"block_size", "linear_solver.block_size"},
                                                          {"solver", "linear_solver.path"},
                                                          {"precision", "linear_solver.precision"},
                                                          {"assembly", "assembly.strategy"},
                                                          {"assembly_order", "assembly.order"},
                                                          {"assembly_threshold", "assembly.threshold"},
                                                          {"assembly_sorting_window", "assembly.sorting_window"},
                                                          {"assembly_block_size", "assembly.block_size"}})
      if (json.contains(reported))
        settings.push_back(
            {key, json[reported].is_string() ? json[reported].get<std::string>() : json[reported].dump()});
    return settings;
  }

  static void expect_same(const SimulationPlan& plan, const SimulationPlan& again) {
    EXPECT_EQ(format_name(again.matrix.options), format_name(plan.matrix.options));
    EXPECT_EQ(again.matrix.slot_of_entry, plan.matrix.slot_of_entry);
    EXPECT_EQ(again.matrix.options.block_size, plan.matrix.options.block_size);
    EXPECT_EQ(again.renumbered.node_in_input, plan.renumbered.node_in_input);
    EXPECT_EQ(again.solver.path, plan.solver.path);
    EXPECT_EQ(again.solver.precision, plan.solver.precision);
    EXPECT_EQ(again.assembly.index(), plan.assembly.index());
    EXPECT_EQ(strategy_name(again.problem().assembly), strategy_name(plan.problem().assembly));
    const AssemblyOptions &typed = again.problem().assembly, &first = plan.problem().assembly;
    EXPECT_EQ(typed.block_size, first.block_size);
    if (first.strategy == AssemblyStrategy::spmv) {
      EXPECT_EQ(typed.ell_warp.window, first.ell_warp.window);
      const bool is_k2 = first.ell_warp.variant == EllWarpVariant::k2;
      EXPECT_EQ(is_k2 ? typed.ell_warp.threshold : 0, is_k2 ? first.ell_warp.threshold : 0);
    }
    EXPECT_EQ(first_update(again), first_update(plan));
  }
};

TEST_F(TypedIn, WhatIsReportedGivesTheSameRun) {
  const std::vector<std::string> wishes{
      "",
      "linear_solver: {path: plain}",
      "linear_solver: {path: plain, sorting_window: 64, block_size: 96}",
      "linear_solver: {sorting_window: 64}",
      "linear_solver: {precision: mixed}",
      "linear_solver: {precision: mixed, path: plain}",
      "linear_solver: {precision: mixed, spmv: k2r, threshold: 3, sorting_window: 32}",
      "linear_solver: {spmv: csr}",
      "linear_solver: {spmv: k1}",
      "linear_solver: {spmv: k1rs}",
      "linear_solver: {spmv: k2r, threshold: 3, sorting_window: 32}",
      "linear_solver: {spmv: k2rs, threshold: 3}",
      "assembly: {strategy: scalar_gather, order: csr}",
      "assembly: {strategy: entry_gather}",
      "linear_solver: {spmv: csr}\nassembly: {strategy: row_gather}",
      "assembly: {strategy: spmv_k1}",
      "assembly: {strategy: spmv_k2r, order: csr}",
      "assembly: {strategy: spmv_k2, threshold: 3, sorting_window: 64, block_size: 96}",
      "assembly: {order: direct}"};
  std::set<std::string> strategies, paths;
  for (const Mesh& mesh : {random_mesh({4, 3, 3}, 0.5, 7), wheel(33)})
    for (const Device& device : {cpu_device(), nvidia_h200()})
      for (const std::string& wish : wishes) {
        SCOPED_TRACE(device.name + ", " + std::to_string(mesh.nodes.size()) + " nodes, " + wish);
        const SimulationPlan first = plan(wish, mesh, device);
        const std::vector<Override> typed = reported(first);
        const AssemblyOptions& assembly = first.problem().assembly;
        const bool is_product = assembly.strategy == AssemblyStrategy::spmv;
        const auto number = [](bool has) { return static_cast<std::size_t>(has); };
        ASSERT_EQ(typed.size(), 5 + number(format_parameters(first.matrix.options).threshold) +
                                    number(format_parameters(first.matrix.options).window) +
                                    number(first.matrix.options.block_size > 0) + number(is_product) +
                                    number(is_product && assembly.ell_warp.variant == EllWarpVariant::k2) +
                                    number(is_product && assembly.block_size > 0));
        strategies.insert(strategy_name(first.problem().assembly));
        paths.insert(std::string(name_of(first.solver.path)));
        expect_same(first, plan("", mesh, device, typed));
      }
  EXPECT_EQ(strategies,
            (std::set<std::string>{"entry_gather", "row_gather", "slice_gather", "spmv_k1", "spmv_k2", "spmv_k2r"}));
  EXPECT_GE(paths.size(), 2u);
}

TEST_F(TypedIn, AGatherIsWhatSuitsUnlessItIsAskedFor) {
  const Mesh mesh = random_mesh({3, 2, 2}, 0.5, 7);
  const auto of = [&](const std::string& wish, const Device& device) {
    return reported_methods(plan(wish, mesh, device), SolverPath::plain).assembly;
  };
  const std::string k2 = "linear_solver: {spmv: k2}\n", k2r = "linear_solver: {spmv: k2r}\n",
                    csr = "linear_solver: {spmv: csr}\n";
  for (const std::string strategy : {"", "assembly: {strategy: scalar_gather}"}) {
    EXPECT_EQ(of(strategy, cpu_device()), "row_gather");
    EXPECT_EQ(of(k2 + strategy, cpu_device()), "entry_gather");
    EXPECT_EQ(of(k2r + strategy, cpu_device()), "entry_gather");
    EXPECT_EQ(of(strategy, nvidia_h200()), "slice_gather");
    EXPECT_EQ(of(k2r + strategy, nvidia_h200()), "slice_gather");
    EXPECT_EQ(of(k2 + strategy, nvidia_h200()), "entry_gather");
    EXPECT_EQ(of(csr + strategy, nvidia_h200()), "entry_gather");
  }
  EXPECT_EQ(of(csr + "assembly: {strategy: row_gather}", nvidia_h200()), "row_gather");
  EXPECT_EQ(of("assembly: {strategy: entry_gather}", cpu_device()), "entry_gather");
  EXPECT_EQ(of(k2r + "assembly: {strategy: slice_gather}", cpu_device()), "slice_gather");
}

TEST_F(TypedIn, OnlyAnAssemblyBySpmvGoesThroughCsr) {
  const Mesh mesh = random_mesh({3, 2, 2}, 0.5, 7);
  for (const std::string strategy : {"auto", "scalar_gather", "row_gather", "entry_gather", "spmv_k1"})
    EXPECT_EQ(reported_methods(plan("assembly: {strategy: " + strategy + ", order: csr}", mesh, cpu_device()),
                               SolverPath::plain)
                  .assembly_order,
              strategy == "spmv_k1" ? "csr" : "direct")
        << strategy;
}

TEST_F(TypedIn, WhatAddsInAnotherOrderInEveryRunIsNotRepeatable) {
  const Mesh mesh = random_mesh({3, 2, 2}, 0.5, 7);
  for (const auto& [name, strategy] : assembly_strategies) {
    if (strategy == AssemblyStrategy::diagonal || name == "spmv_") continue;
    const std::string wish = "assembly: {strategy: " + std::string(name) + ", repeatable: false}";
    const std::string spmv = strategy == AssemblyStrategy::slice_gather ? "linear_solver: {spmv: k1rs}\n" : "";
    EXPECT_EQ(reported_methods(plan(spmv + wish, mesh, cpu_device()), SolverPath::plain).repeatable,
              !name.starts_with("atomics") && !name.starts_with("lazy_ell"))
        << name;
  }
}

TEST_F(TypedIn, AnImpossibleStrategyIsRefusedWithWhatItNeeds) {
  const auto refusal = [&](const std::string& wish, const Mesh& mesh, const Device& device) {
    return test::input_error_of([&] { plan(wish, mesh, device); });
  };
  const Mesh mesh = random_mesh({3, 2, 2}, 0.5, 7);
  const std::string row = "assembly: {strategy: row_gather}", slice = "assembly: {strategy: slice_gather}",
                    end = " (auto takes the gather that suits the matrix)";
  EXPECT_EQ(refusal(row, mesh, nvidia_h200()),
            "assembly.strategy: row_gather needs linear_solver.spmv to be one of csr, cusparse, got 'k1rs'" + end);
  EXPECT_EQ(
      refusal(slice, mesh, cpu_device()),
      "assembly.strategy: slice_gather needs linear_solver.spmv to be one of k1r, k1rs, k2r, k2rs, got 'csr'" + end);
  EXPECT_EQ(
      refusal("linear_solver: {spmv: k2}\n" + slice, mesh, nvidia_h200()),
      "assembly.strategy: slice_gather needs linear_solver.spmv to be one of k1r, k1rs, k2r, k2rs, got 'k2'" + end);
  EXPECT_EQ(refusal("linear_solver: {spmv: k1r}\n" + slice, wheel(300), nvidia_h200()),
            "assembly.strategy: slice_gather needs rows of which 4 neighboring slices have no more than 6144 sums; the "
            "longest has 302 entries" +
                end);
}

}  // namespace
}  // namespace cardiowarp
