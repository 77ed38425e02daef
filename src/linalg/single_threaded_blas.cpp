// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/single_threaded_blas.h"

#include <mutex>

// Declared here because the headers of BLAS and LAPACK do not know which library is behind them.
extern "C" {
int openblas_get_num_threads();
void openblas_set_num_threads(int);
}

namespace gckn {
namespace {

struct BlasUse {
  std::mutex mutex;
  int scopes = 0;
  int threads_before = 0;
};

BlasUse& blas_use() {
  static BlasUse use;
  return use;
}

}  // namespace

SingleThreadedBlas::SingleThreadedBlas() {
  BlasUse& use = blas_use();
  const std::lock_guard lock(use.mutex);
  if (use.scopes++ > 0) return;
  use.threads_before = openblas_get_num_threads();
  if (use.threads_before != 1) openblas_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  BlasUse& use = blas_use();
  const std::lock_guard lock(use.mutex);
  if (--use.scopes == 0 && use.threads_before != 1) openblas_set_num_threads(use.threads_before);
}

}  // namespace gckn
