// cuSPARSE's products against the CPU's rows, and thrust::scatter against the CPU's.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/libraries/cusparse.cuh"
#include "kernels/rivals/block_ell.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/scatter.cuh"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 31;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
const std::vector<Index> sizes{1, 31, 32, 33, 97, 3000};

using CusparseParity = GpuTest;
using ScatterParity = GpuTest;

template <class T, class Memory>
Buffer<T> on_gpu(CudaBackend& gpu, const std::vector<T, Memory>& host) {
  Buffer<T> buffer = gpu.allocate<T>(host.size());
  gpu.upload(std::span<const T>(host), buffer.data());
  return buffer;
}

std::vector<Real> on_cpu(CudaBackend& gpu, const Buffer<Real>& buffer) {
  std::vector<Real> host(buffer.size());
  gpu.download(static_cast<const Real*>(buffer.data()), std::span<Real>(host));
  return host;
}

/// What `enqueue` puts into the backend's stream, as a CUDA graph. To wait or to allocate is refused meanwhile.
class CudaGraph {
 public:
  template <class Enqueue>
  CudaGraph(CudaBackend& gpu, const Enqueue& enqueue) : gpu_(gpu) {
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamBeginCapture(gpu.stream(), cudaStreamCaptureModeThreadLocal));
    enqueue();
    cuda_check(cudaStreamEndCapture(gpu.stream(), &graph));
    cuda_check(cudaGraphInstantiate(&executable_, graph, 0));
    cuda_check(cudaGraphDestroy(graph));
  }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  ~CudaGraph() { cudaGraphExecDestroy(executable_); }

  void launch() { cuda_check(cudaGraphLaunch(executable_, gpu_.stream())); }

 private:
  CudaBackend& gpu_;
  cudaGraphExec_t executable_ = nullptr;
};

/// y = A x by rows, and the largest difference that two orders of its additions can have: each rounds a term at most
/// `length` times by ε / 2; the bound is twice that, for its own rounding.
struct Expected {
  Expected(const RandomCsr& csr, const std::vector<Real>& x) {
    for (Index row = 0; row < csr.view().rows; ++row) {
      Real magnitude = 0;
      for (Index e = csr.row_begin[row]; e < csr.row_begin[row + 1]; ++e)
        magnitude += std::abs(csr.value[e] * x[csr.column[e]]);
      y.push_back(row_times_vector(csr.view(), row, x.data()));
      bound.push_back(2 * epsilon * csr.length[row] * magnitude);
    }
  }
  std::vector<Real> y, bound;
};

/// A matrix and the vectors of its products in device memory, in the numbering of one of the formats.
class OnGpu {
 public:
  OnGpu(const RandomCsr& csr, CusparseAlgorithm algorithm)
      : csr_(csr),
        row_begin_(on_gpu(gpu, csr.row_begin)),
        column_(on_gpu(gpu, csr.column)),
        value_(on_gpu(gpu, csr.value)),
        x_(gpu.allocate<Real>(csr.length.size())),
        y_(gpu.allocate<Real>(csr.length.size())) {
    const CsrView view{csr.view().rows, row_begin_.data(), column_.data(), value_.data()};
    matrix = std::make_unique<CusparseMatrix>(gpu, view, std::ssize(csr.column), algorithm);
  }

  OnGpu(const RandomCsr& csr, const EllWarpOptions& options)
      : csr_(csr),
        layout_(ell_warp_layout(csr.length, csr.column, options)),
        slice_begin_(on_gpu(gpu, layout_.shape.slice_begin)),
        column_(on_gpu(gpu, layout_.column)),
        value_(gpu.allocate<Real>(layout_.column.size())),
        x_(gpu.allocate<Real>(csr.length.size())),
        y_(gpu.allocate<Real>(csr.length.size())) {
    set_values(csr.value);
    matrix = std::make_unique<CusparseMatrix>(gpu, view(), std::ssize(csr.column), layout_.shape.stored_entries());
  }

  EllWarpView view() const {
    EllWarpView A;
    A.rows = layout_.shape.rows();
    A.slices = layout_.shape.slices();
    A.slice_begin = slice_begin_.data();
    A.column = column_.data();
    A.value = value_.data();
    return A;
  }

  /// Gives the matrix other values, in the order of CSR.
  void set_values(const std::vector<Real>& csr_value) {
    std::vector<Real> value(value_.size(), 0);
    for (std::size_t entry = 0; entry < csr_value.size(); ++entry)
      value[sliced() ? layout_.slot_of_entry[entry] : static_cast<std::int64_t>(entry)] = csr_value[entry];
    gpu.upload(std::span<const Real>(value), value_.data());
  }

  /// A x in the numbering of the CSR matrix. `enqueue` gets x and y in that of the format.
  template <class Enqueue>
  std::vector<Real> product(const std::vector<Real>& x, const Enqueue& enqueue) {
    std::vector<Real> stored(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) stored[i] = x[old_row(i)];
    gpu.upload(std::span<const Real>(stored), x_.data());
    gpu.upload(std::span<const Real>(std::vector<Real>(x.size(), NAN)), y_.data());
    enqueue(x_.data(), y_.data());
    gpu.synchronize();
    stored = on_cpu(gpu, y_);
    std::vector<Real> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[old_row(i)] = stored[i];
    return y;
  }
  std::vector<Real> product(const std::vector<Real>& x) {
    return product(x, [&](const Real* stored_x, Real* stored_y) { matrix->multiply(stored_x, stored_y); });
  }

  CudaBackend gpu;
  std::unique_ptr<CusparseMatrix> matrix;

 private:
  bool sliced() const { return slice_begin_.size() > 0; }
  Index old_row(std::size_t i) const { return sliced() ? layout_.shape.row[i] : static_cast<Index>(i); }

  const RandomCsr& csr_;
  EllWarpLayout layout_;
  Buffer<std::int64_t> slice_begin_;
  Buffer<Index> row_begin_, column_;
  Buffer<Real> value_, x_, y_;
};

constexpr EllWarpOptions k1r{EllWarpVariant::k1, EllWarpRenumbering::rows, 1, 0};
constexpr EllWarpOptions k1rs{EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 1, 1024};

/// Calls check(OnGpu&) for the matrix in every format.
template <class Check>
void for_each_format(const RandomCsr& csr, const Check& check) {
  const auto run = [&](const char* name, const auto& format) {
    SCOPED_TRACE(std::string(name) + ", " + std::to_string(csr.length.size()) + " rows");
    OnGpu on_gpu(csr, format);
    check(on_gpu);
  };
  run("CSR ALG1", CusparseAlgorithm::csr_1);
  run("CSR ALG2", CusparseAlgorithm::csr_2);
  run("sliced ELL of K1r", k1r);
  run("sliced ELL of K1rs", k1rs);
}

void expect_product(const std::vector<Real>& product, const Expected& expected) {
  ASSERT_EQ(product.size(), expected.y.size());
  for (std::size_t row = 0; row < product.size(); ++row)
    ASSERT_NEAR(product[row], expected.y[row], expected.bound[row]) << "row " << row;
}

TEST_F(CusparseParity, ProductsAreTheCpusUpToTheRoundingOfTheirTerms) {
  for (const Index rows : sizes) {
    const RandomCsr csr(awkward_row_lengths(rows, seed), seed + 1);
    const std::vector<Real> x = random_values(rows, seed + 2);
    const Expected expected(csr, x);
    for_each_format(csr, [&](OnGpu& A) { expect_product(A.product(x), expected); });
  }
}

TEST_F(CusparseParity, AMillionRowsAreMultipliedAsOnTheCpu) {
  const RandomCsr csr(awkward_row_lengths(1'000'000, seed), seed + 1);
  const std::vector<Real> x = random_values(csr.length.size(), seed + 2);
  const Expected expected(csr, x);
  for_each_format(csr, [&](OnGpu& A) { expect_product(A.product(x), expected); });
}

TEST_F(CusparseParity, ValuesThatChangeAfterThePreprocessingAreThoseOfTheNextProduct) {
  for (const Index rows : sizes) {
    const RandomCsr csr(awkward_row_lengths(rows, seed), seed + 1);
    RandomCsr changed = csr;
    changed.value = random_values(csr.value.size(), seed + 3);
    const std::vector<Real> x = random_values(rows, seed + 2);
    const Expected before(csr, x), after(changed, x);
    ASSERT_NE(before.y, after.y);
    for_each_format(csr, [&](OnGpu& A) {
      expect_product(A.product(x), before);
      A.set_values(changed.value);
      expect_product(A.product(x), after);
    });
  }
}

TEST_F(CusparseParity, ProductsReadAndWriteTheVectorsTheyAreGiven) {
  const Index rows = 97;
  const RandomCsr csr(awkward_row_lengths(rows, seed), seed + 1);
  const std::vector<Real> x = random_values(rows, seed + 2), other_x = random_values(rows, seed + 3);
  const Expected expected(csr, x), other_expected(csr, other_x);
  OnGpu A(csr, CusparseAlgorithm::csr_1);
  const Buffer<Real> other_gpu_x = on_gpu(A.gpu, other_x), other_gpu_y = A.gpu.allocate<Real>(rows);
  expect_product(A.product(x,
                           [&](const Real* gpu_x, Real* gpu_y) {
                             A.matrix->multiply(gpu_x, gpu_y);
                             A.matrix->multiply(other_gpu_x.data(), other_gpu_y.data());
                           }),
                 expected);
  expect_product(on_cpu(A.gpu, other_gpu_y), other_expected);
}

TEST_F(CusparseParity, AProductInACudaGraphIsTheProductOfTheValuesAtItsLaunch) {
  const Index rows = 3000;
  const RandomCsr csr(awkward_row_lengths(rows, seed), seed + 1);
  RandomCsr changed = csr;
  changed.value = random_values(csr.value.size(), seed + 3);
  const std::vector<Real> x = random_values(rows, seed + 2);
  const Expected before(csr, x), after(changed, x);
  for_each_format(csr, [&](OnGpu& A) {
    std::unique_ptr<CudaGraph> graph;
    const auto launch = [&](const Real* gpu_x, Real* gpu_y) {
      if (!graph) graph = std::make_unique<CudaGraph>(A.gpu, [&] { A.matrix->multiply(gpu_x, gpu_y); });
      graph->launch();
    };
    expect_product(A.product(x, launch), before);
    A.set_values(changed.value);
    expect_product(A.product(x, launch), after);
  });
}

// cuSPARSE does not promise this of CSR ALG1, and of sliced ELL not without contradiction.
TEST_F(CusparseParity, ProductsOfCsrAlg2AreTheSameBitForBitInEveryRun) {
  const RandomCsr csr(awkward_row_lengths(1'000'000, seed), seed + 1);
  const std::vector<Real> x = random_values(csr.length.size(), seed + 2);
  OnGpu A(csr, CusparseAlgorithm::csr_2);
  const std::vector<Real> first = A.product(x);
  for (int run = 0; run < 10; ++run) ASSERT_EQ(A.product(x), first) << run;
}

/// Full blocks and others, empty block rows and long ones.
TEST_F(CusparseParity, ProductsOfBlocksAreTheCpusUpToTheRoundingOfTheirTerms) {
  std::vector<Index> all_sizes = sizes;
  all_sizes.push_back(400'000);
  for (const Index unknowns : {2, 3})
    for (const Index block_rows : all_sizes) {
      SCOPED_TRACE(std::to_string(unknowns) + " unknowns, " + std::to_string(block_rows) + " block rows");
      const RandomCsr csr = random_blocks(awkward_row_lengths(block_rows, seed), unknowns, seed + 1);
      const std::vector<Real> x = random_values(csr.length.size(), seed + 2);
      const BlockEllLayout layout = block_ell_layout({csr.row_begin, csr.column}, bcsr_options(unknowns));
      std::vector<Real> value(layout.value_slots());
      for (std::size_t e = 0; e < csr.value.size(); ++e) value[layout.slot_of_entry[e]] = csr.value[e];

      CudaBackend gpu;
      const Buffer<Index> row_begin =
          on_gpu(gpu, std::vector<Index>(layout.slice_begin.begin(), layout.slice_begin.end()));
      const Buffer<Index> column = on_gpu(gpu, layout.column);
      const Buffer<Real> gpu_value = on_gpu(gpu, value), gpu_x = on_gpu(gpu, x),
                         gpu_y = on_gpu(gpu, std::vector<Real>(x.size(), NAN));
      try {
        const CusparseMatrix A(
            gpu, BsrView{block_rows, unknowns, layout.blocks, row_begin.data(), column.data(), gpu_value.data()});
        A.multiply(gpu_x.data(), gpu_y.data());
      } catch (const DeviceError& error) {
        if (std::string(error.what()).find("NOT_SUPPORTED") == std::string::npos) throw;
        GTEST_SKIP() << "cuSPARSE multiplies blocks since CUDA 13: " << error.what();
      }
      expect_product(on_cpu(gpu, gpu_y), Expected(csr, x));
    }
}

TEST_F(CusparseParity, SlicedEllBeyond32BitOffsetsIsRefused) {
  const RandomCsr csr(awkward_row_lengths(97, seed), seed + 1);
  OnGpu A(csr, k1rs);
  const std::int64_t entries = std::ssize(csr.column);
  EXPECT_THROW(CusparseMatrix(A.gpu, A.view(), entries, std::int64_t{1} << 31), DeviceError);
  EXPECT_GE(A.matrix->workspace_bytes(), sizeof(Index) * (A.view().slices + 1));
}

TEST(CusparseLibrary, HasEveryFunctionAndItsErrorsSayWhatFailedWhere) {
  try {
    cusparse_library();
  } catch (const DeviceError& error) {
    if (std::string(error.what()).find("could not be loaded") == std::string::npos) throw;
    GTEST_SKIP() << error.what();
  }
  EXPECT_NO_THROW(cusparse_check(CUSPARSE_STATUS_SUCCESS));
  try {
    cusparse_check(CUSPARSE_STATUS_INVALID_VALUE);
    FAIL() << "expected a DeviceError";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cuSPARSE: CUSPARSE_STATUS_INVALID_VALUE: "), std::string::npos) << text;
    EXPECT_NE(text.find("cusparse_test.cu:"), std::string::npos) << text;
  }
}

/// The first n of 2 n places, in random order.
std::vector<std::int64_t> random_map(Index n) {
  std::vector<std::int64_t> map(2 * static_cast<std::size_t>(n));
  std::iota(map.begin(), map.end(), 0);
  std::shuffle(map.begin(), map.end(), std::mt19937(seed));
  map.resize(n);
  return map;
}

/// Calls scatter() as generic code does: what a backend has of its own is found where this is instantiated.
template <Backend B>
void scatter_in(B& backend, Index n, const std::int64_t* map, const Real* from, Real* to) {
  scatter(backend, n, map, from, to);
}

TEST_F(ScatterParity, ValuesAreWhereTheCpuPutsThemAndNowhereElse) {
  std::vector<Index> all_sizes = sizes;
  all_sizes.push_back(1'000'000);
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    const std::vector<std::int64_t> map = random_map(n);
    const std::vector<Real> from = random_values(n, seed + 1), untouched(2 * static_cast<std::size_t>(n), 7);
    std::vector<Real> expected = untouched;
    CpuBackend cpu;
    scatter_in(cpu, n, map.data(), from.data(), expected.data());
    ASSERT_EQ(std::count(expected.begin(), expected.end(), Real{7}), n);

    CudaBackend gpu;
    const Buffer<std::int64_t> gpu_map = on_gpu(gpu, map);
    const Buffer<Real> gpu_from = on_gpu(gpu, from), by_thrust = on_gpu(gpu, untouched),
                       by_loop = on_gpu(gpu, untouched);
    scatter_in(gpu, n, gpu_map.data(), gpu_from.data(), by_thrust.data());
    EXPECT_EQ(on_cpu(gpu, by_thrust), expected);
    gpu.for_each(n, ScatterEntries{gpu_map.data(), gpu_from.data(), by_loop.data()});
    EXPECT_EQ(on_cpu(gpu, by_loop), expected);
  }
}

TEST_F(ScatterParity, NoValuesAreNoLaunch) {
  CudaBackend gpu;
  EXPECT_NO_THROW(scatter_in(gpu, 0, nullptr, nullptr, nullptr));
  EXPECT_NO_THROW(gpu.synchronize());
}

TEST_F(ScatterParity, AScatterIsEnqueuedWithoutWaitingOrAllocating) {
  const Index n = 3000;
  const std::vector<std::int64_t> map = random_map(n);
  const std::vector<Real> from = random_values(n, seed + 1);
  CudaBackend gpu;
  const Buffer<std::int64_t> gpu_map = on_gpu(gpu, map);
  const Buffer<Real> gpu_from = on_gpu(gpu, from), to = gpu.allocate<Real>(2 * n);
  CudaGraph graph(gpu, [&] { scatter_in(gpu, n, gpu_map.data(), gpu_from.data(), to.data()); });
  graph.launch();
  std::vector<Real> expected(2 * n, 0);
  CpuBackend cpu;
  scatter_in(cpu, n, map.data(), from.data(), expected.data());
  EXPECT_EQ(on_cpu(gpu, to), expected);
}

}  // namespace
}  // namespace cardiowarp
