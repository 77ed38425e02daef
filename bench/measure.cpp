// SPDX-License-Identifier: BSD-3-Clause
#include "measure.h"

#include <cblas.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "gckn/matrix.h"
#include "linalg/product.h"
#include "linalg/single_threaded_blas.h"

namespace gckn::bench {
namespace {

void blas_product(int n, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

void blas_product(int n, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

}  // namespace

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

template <typename Real>
ProductSpeed product_speed() {
  constexpr int n = 1024;
  const SingleThreadedBlas one_thread;
  const auto size = static_cast<std::size_t>(n);
  BasicMatrix<Real> a(size, size);
  BasicMatrix<Real> b(size, size);
  BasicMatrix<Real> c(size, size);
  std::fill_n(a.data(), a.size(), Real{0.5});
  std::fill_n(b.data(), b.size(), Real{0.25});
  const auto best_of = [&](const auto& product) {
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      const Clock::time_point begin = Clock::now();
      product();
      best = std::min(best, seconds_since(begin));
    }
    return 2.0 * n * n * n / best * 1e-9;
  };
  ProductSpeed speed;
  speed.blas = best_of([&] { blas_product(n, a.data(), b.data(), c.data()); });
  const PackedMatrix<Real> packed(b.data(), size, size, size);
  std::vector<const Real*> rows(size);
  for (std::size_t i = 0; i < size; ++i) rows[i] = a.row(i);
  speed.ours = best_of([&] { multiply_rows(rows.data(), size, packed, c.data(), size, false); });
  return speed;
}

template ProductSpeed product_speed<float>();
template ProductSpeed product_speed<double>();

}  // namespace gckn::bench
