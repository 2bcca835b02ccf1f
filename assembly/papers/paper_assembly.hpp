#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/options.hpp"
#include "assembly/sparsity.hpp"
#include "fem/diffusivity.hpp"
#include "kernels/backend/device.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

class TissueCells;
struct Mesh;

// The one face of the assembly strategies of papers 003 and 004 (is_of_the_papers(), assembly/options.hpp), which a run
// takes only where assembly.strategy names one. plan_paper_assembly() works out what a strategy needs, in host memory
// and once in a run; make_paper_assembly() makes the assembly of a plan in the memory of a backend. What is in a plan
// nobody outside of this folder sees: plans.hpp has it, and papers_cpu.cpp and papers_cuda.cu compile what is made of
// it.

/// The tissue that is assembled, linear or quadratic. It refers to what the caller keeps for as long as it is used.
struct TissueToAssemble {
  const Mesh& mesh;
  const std::vector<Diffusivity>& diffusivity;   ///< [elements]
  const TissueCells& cells;                      ///< the different cells
  const std::vector<std::uint16_t>& cell_model;  ///< [elements] index into them
  const Sparsity& sparsity;                      ///< of the mesh
};

/// The plan of one of the strategies. Copies share what is in it.
class PaperAssemblyPlan {
 public:
  struct Plans;  ///< plans.hpp
  explicit PaperAssemblyPlan(Plans plans);

  /// The bytes that an assembly must move.
  std::int64_t bytes() const;
  /// The bytes that its elements must move by themselves; 0 where they are evaluated with the sums.
  std::int64_t element_bytes() const;
  /// [slots] The diffusion matrix, where the plan has it in the order of the slots of K; else empty.
  std::span<const Real> diffusion() const;
  const Plans& plans() const { return *plans_; }

 private:
  std::shared_ptr<const Plans> plans_;
};

/// The needs of a strategy of the papers that the format of K has not in this layout, for the end of a message; empty
/// where it is possible.
std::string missing_for_paper_assembly(AssemblyStrategy strategy, const MatrixLayout& layout);

/// The plan of a strategy for a layout of K. `weight` is the share of an element's volume that its centroid stands for,
/// which is 1 for general elements and for those of a quadratic mesh. Throws InputError where the mesh does not suit
/// the strategy or the device has not enough shared memory, with the numbers.
PaperAssemblyPlan plan_paper_assembly(AssemblyStrategy strategy, Real weight, const TissueToAssemble& tissue,
                                      const MatrixLayout& layout, const Device& device);

/// The assembly of a plan, for the tissue that was planned. There is one for CpuBackend, CudaBackend and SizingBackend.
template <Backend B>
std::unique_ptr<Assembly<B>> make_paper_assembly(B& backend, const PaperAssemblyPlan& plan,
                                                 const TissueToAssemble& tissue);

}  // namespace cardiowarp
