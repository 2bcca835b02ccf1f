// Products of a step and their dots on the device against the CPU, and twice on the device (tests/support/on_both.cuh).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include "kernels/sparse/ell_warp_matrix.hpp"
#include "tests/support/on_both.cuh"

namespace cardiowarp {
namespace {

using StepKernels = GpuTest;

/// A random matrix in compressed rows and, in their own numbering, as K1rs; with a vector.
struct Product {
  explicit Product(Index n)
      : csr(awkward_row_lengths(n, seed), seed + 1),
        absolute(csr),
        layout(ell_warp_layout(csr.length, csr.column,
                               {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 1, 1024})),
        x(random_values(n, seed + 2)),
        absolute_x(x),
        longest(*std::max_element(csr.length.begin(), csr.length.end())) {
    for (Values* values : {&absolute.value, &absolute_x})
      for (Real& value : *values) value = std::fabs(value);
  }
  RandomCsr csr, absolute;
  EllWarpLayout layout;
  Values x, absolute_x;
  Index longest;
};

/// Calls `visit(view)` with the matrix in backend memory.
struct AsCsr {
  template <Backend B, class Visit>
  static void visit(B& backend, const Product&, const RandomCsr& csr, const Visit& visit) {
    const Buffer<Index> row_begin = uploaded(backend, csr.row_begin), column = uploaded(backend, csr.column);
    const Buffer<Real> value = uploaded(backend, csr.value);
    visit(CsrView{static_cast<Index>(csr.length.size()), row_begin.data(), column.data(), value.data()});
  }
};
struct AsK1rs {
  template <Backend B, class Visit>
  static void visit(B& backend, const Product& product, const RandomCsr& csr, const Visit& visit) {
    EllWarpMatrix A(backend, product.layout);
    Values stored(product.layout.shape.stored_entries());
    for (std::size_t entry = 0; entry < csr.value.size(); ++entry)
      stored[product.layout.slot_of_entry[entry]] = csr.value[entry];
    backend.upload(std::span<const Real>(stored), A.value());
    visit(A.view());
  }
};

template <class Format, Backend B>
Values multiply(B& backend, const Product& product, const RandomCsr& csr, const Values& x) {
  const Buffer<Real> in = uploaded(backend, x), out = backend.template allocate<Real>(x.size());
  Format::visit(backend, product, csr, [&](const auto& A) {
    backend.for_each(A.rows, RowsTimesVector<std::decay_t<decltype(A)>>{A, in.data(), out.data()});
    backend.synchronize();
  });
  return downloaded(backend, out);
}

/// A x and, behind it, x·A x.
template <class Format, Backend B>
Values multiply_dot(B& backend, const Product& product) {
  const Buffer<Real> in = uploaded(backend, product.x), out = backend.template allocate<Real>(product.x.size()),
                     dot = backend.template allocate<Real>(1);
  Format::visit(backend, product, product.csr, [&](const auto& A) {
    backend.template sum<1>(A.rows, dot.data(),
                            RowsTimesVectorDot<std::decay_t<decltype(A)>>{A, in.data(), out.data()});
    backend.synchronize();
  });
  Values values = downloaded(backend, out);
  values.push_back(backend.read(static_cast<const Real*>(dot.data())));
  return values;
}

/// Additions one after the other in a sum of n terms on the CPU, products before them counted as one; a GPU has fewer.
Real additions(Index n) { return 1 + 256 + n / 1024; }

template <class Format>
void expect_products_of_the_cpu(const Product& product) {
  const Index n = static_cast<Index>(product.x.size());
  CpuBackend cpu;
  const Values magnitude = multiply<Format>(cpu, product, product.absolute, product.absolute_x);
  const Real row_bound = 2 * product.longest * epsilon;  // a product and a sum an entry
  const auto bound = [&](std::size_t i) { return row_bound * magnitude[i]; };

  const OnBoth plain([&](auto& backend) { return multiply<Format>(backend, product, product.csr, product.x); });
  expect_near(plain.gpu, plain.cpu, bound);
  EXPECT_GT(*std::max_element(plain.gpu.begin(), plain.gpu.end()), n == 1 ? -1 : 0.1);

  OnBoth with_dot([&](auto& backend) { return multiply_dot<Format>(backend, product); });
  const Real total = std::inner_product(magnitude.begin(), magnitude.end(), product.absolute_x.begin(), Real(0));
  EXPECT_NEAR(with_dot.gpu.back(), with_dot.cpu.back(), (epsilon * additions(n) + row_bound) * total);
  with_dot.gpu.pop_back();
  with_dot.cpu.pop_back();
  expect_near(with_dot.gpu, with_dot.cpu, bound);
}

TEST_F(StepKernels, ProductsOfCompressedRowsAndK1rsAndTheirDotsAreTheCpus) {
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    const Product product(n);
    expect_products_of_the_cpu<AsCsr>(product);
    expect_products_of_the_cpu<AsK1rs>(product);
  }
}

TEST_F(StepKernels, TheDotOfTwoVectorsIsTheCpus) {
  for (const Index n : all_sizes) {
    SCOPED_TRACE(n);
    const Values p = random_values(n, seed), q = random_values(n, seed + 1);
    const OnBoth dot([&](auto& backend) {
      const Buffer<Real> in_p = uploaded(backend, p), in_q = uploaded(backend, q),
                         out = backend.template allocate<Real>(1);
      backend.template sum<1>(n, out.data(), Dot{in_p.data(), in_q.data()});
      return downloaded(backend, out);
    });
    Real total = 0;
    for (Index i = 0; i < n; ++i) total += std::fabs(p[i] * q[i]);
    EXPECT_NEAR(dot.gpu[0], dot.cpu[0], epsilon * additions(n) * total);
    EXPECT_NE(dot.gpu[0], 0);
  }
}

}  // namespace
}  // namespace cardiowarp
