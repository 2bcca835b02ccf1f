// Stages of CellML files, compiled for a GPU that need not be there.

#include "kernels/libraries/run_time_code.hpp"
#include "fem/cells/models.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/compare/comparison.hpp"
#include "app/config/config.hpp"
#include "app/start/backend.hpp"
#include "assembly/ionic/run_time_kernel.hpp"
#include "cellml/tissue/stage_text.hpp"
#include "cellml/tissue/tissue_model.hpp"
#include "fem/cells/run_time_model.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/libraries/run_time_compiler.hpp"
#include "tests/support/cellml_collection.hpp"
#include "tests/support/cellml_text.hpp"
#include "tests/support/excitable_cellml.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

constexpr int compute_capability = 90;

/// Why this machine cannot compile for a GPU; empty where it can.
std::string without_compiler() {
  try {
    run_time_compiler(compute_capability);
  } catch (const MissingLibrary& missing) {
    return missing.what();
  }
  return "";
}

std::string kernel_of(const CellMlModel& model) {
  return run_time_kernel_text(cellml_stage_text(model, std::vector<std::vector<double>>{model.parameter_values()}));
}

TEST(CompiledStage, IsMachineCodeWithTheKernelAndItsConstants) {
  if (const std::string reason = without_compiler(); !reason.empty()) GTEST_SKIP() << reason;
  const std::string code = compiled_for_gpu(kernel_of(parse_cellml(test::excitable_cell())), compute_capability);
  EXPECT_EQ(code.substr(1, 3), "ELF");
  for (const char* name : {"evaluate_points", "stage_constants"}) EXPECT_NE(code.find(name), code.npos) << name;
}

TEST(CompiledStage, OfATextWithAMistakeIsAnErrorWithTheMessageOfTheCompiler) {
  if (const std::string reason = without_compiler(); !reason.empty()) GTEST_SKIP() << reason;
  try {
    compiled_for_gpu("__global__ void kernel() { mistake(); }", compute_capability);
    ADD_FAILURE() << "it was compiled";
  } catch (const MissingLibrary& missing) {
    ADD_FAILURE() << missing.what();
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("mistake"), std::string::npos) << error.what();
  }
}

class PublishedStage : public testing::TestWithParam<const char*> {};

TEST_P(PublishedStage, IsCompiled) {
  static const test::CellMlCollection collection(CARDIOWARP_SHARED_DATA "/cellml.tar.xz");
  const std::filesystem::path file = collection.file(GetParam());
  if (file.empty()) GTEST_SKIP() << "no collection of CellML files in " << CARDIOWARP_SHARED_DATA;
  const CellMlModel model = read_cellml(file);
  const StageText stage = cellml_stage_text(model, std::vector<std::vector<double>>{model.parameter_values()});
  EXPECT_LE(stage.operations, most_operations_on_gpu);
  if (const std::string reason = without_compiler(); !reason.empty()) GTEST_SKIP() << reason;
  EXPECT_GT(compiled_for_gpu(run_time_kernel_text(stage), compute_capability).size(), 1000U);
}

INSTANTIATE_TEST_SUITE_P(
    OfModels, PublishedStage,
    testing::Values("ToRORd_dynCl_endo", "ToRORd_dynCl_epi", "beeler_reuter_model_1977", "bueno_2007_epi",
                    "courtemanche_ramirez_nattel_1998", "faber_rudy_2000", "fox_mcharg_gilmour_2002",
                    "grandi_pasqualini_bers_2010_ss", "hodgkin_huxley_squid_axon_model_1952_modified", "luo_rudy_1991",
                    "mahajan_shiferaw_2008", "maleckar_model_2009", "noble_model_1962", "nygren_atrial_model_1998",
                    "ohara_rudy_2011_endo", "shannon_wang_puglisi_weber_bers_2004", "stewart_zhang_model_2008_ss",
                    "ten_tusscher_model_2006_M", "ten_tusscher_model_2006_endo", "ten_tusscher_model_2006_epi"),
    [](const auto& instance) { return std::string(instance.param); });

/// Says what it has been asked, in `calls`.
class PlayedStore final : public CodeStore {
 public:
  explicit PlayedStore(std::vector<std::string>& calls) : calls_(calls) {}
  std::optional<std::string> find(const CodeSource& source) override {
    calls_.push_back("find " + source.what);
    if (source.what == "known") return "kept code";
    return std::nullopt;
  }
  void keep(const CodeSource& source, const std::string& code, double) override {
    calls_.push_back("keep " + source.what + " " + code.substr(1, 3));
  }

 private:
  std::vector<std::string>& calls_;
};

TEST(CodeForAGpu, IsRememberedOrFoundInTheStoreOrCompiledAndKept) {
  if (const std::string reason = without_compiler(); !reason.empty()) GTEST_SKIP() << reason;
  std::vector<std::string> calls;
  use_code_store(std::make_unique<PlayedStore>(calls));
  const std::string one = "extern \"C\" __global__ void one() {}", two = "extern \"C\" __global__ void two() {}";
  EXPECT_EQ(code_for_gpu("known", one, compute_capability), "kept code");
  const std::string compiled = code_for_gpu("new", two, compute_capability);
  EXPECT_EQ(code_for_gpu("new", two, compute_capability), compiled);
  EXPECT_EQ(code_for_gpu("new", one, compute_capability), "kept code");
  EXPECT_EQ(calls, (std::vector<std::string>{"find known", "find new", "keep new ELF"}));
  use_code_store(nullptr);
}

/// excitable_cell() with as many further pools, each of which acts on all others.
std::string crowded_cell(int pools) {
  std::string variables, equations, all = test::ci("u");
  for (int k = 0; k < pools; ++k) all = test::sum(all, test::ci("x" + std::to_string(k)));
  for (int k = 0; k < pools; ++k) {
    const std::string name = "x" + std::to_string(k);
    variables += "<variable name=\"" + name + "\" units=\"dimensionless\" initial_value=\"0.1\"/>\n";
    equations += test::equation(test::rate_of(name),
                                test::difference(test::cn("0"), test::product({all, test::ci(name), test::ci(name)})));
  }
  return test::with(test::with(test::excitable_cell(), "<math ", variables + "<math "), "</math>",
                    equations + "</math>");
}

class CellsOfACellMlFile : public testing::Test {
 protected:
  Config with_cells(const std::string& text, const std::string& name) const {
    test::write_text(folder / name, text);
    std::vector<std::string> warnings;
    Config config;
    config.cell_model.cell = ionic_cell(cellml_tissue_model(folder / name, {}, warnings));
    return config;
  }

  const test::TemporaryDirectory folder;
};

TEST_F(CellsOfACellMlFile, AreForAGpuUnlessTheyAreTooLarge) {
  EXPECT_EQ(why_not_on_gpu(with_cells(test::excitable_cell(), "small.cellml")), "");
  EXPECT_EQ(why_not_on_gpu(with_cells(crowded_cell(5), "five.cellml")), "");
  Config config = with_cells(crowded_cell(45), "crowded.cellml");
  const std::string why = why_not_on_gpu(config);
  EXPECT_TRUE(why.starts_with("the cells of the CellML file crowded.cellml are too large for a GPU: ")) << why;
  EXPECT_TRUE(why.ends_with(" operations, expected at most 15000")) << why;
  config.backend = BackendChoice::automatic;
  EXPECT_EQ(possible_backend(config), BackendChoice::cpu);
  config.backend = BackendChoice::gpu;
  EXPECT_EQ(test::input_error_of([&] { possible_backend(config); }),
            "backend: expected cpu or auto, as " + why + ", got 'gpu'");
  EXPECT_EQ(test::input_error_of([&] { compare_sides(config, {}); }),
            "backend: expected cpu or auto, as " + why + ", got 'gpu'");
}

TEST_F(CellsOfACellMlFile, HaveNoTextWhereItWouldBeTooLong) {
  const Config config = with_cells(crowded_cell(90), "ninety.cellml");
  const auto& cell = std::get<IonicCell>(*config.cell_model.cell);
  const StageText stage = run_time_model(*cell.model)->stage_text({&cell, 1});
  EXPECT_EQ(stage.text, "");
  EXPECT_GT(stage.operations, 100'000U);
  EXPECT_LT(stage.operations, 110'000U);
}

}  // namespace
}  // namespace cardiowarp
