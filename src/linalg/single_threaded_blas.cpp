// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/single_threaded_blas.h"

#include <mutex>

#include "linalg/openblas.h"

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
  if (use.scopes == 0) {
    use.threads_before = openblas().get_num_threads();  // may throw: nothing is counted yet
    if (use.threads_before != 1) openblas().set_num_threads(1);
  }
  ++use.scopes;
}

SingleThreadedBlas::~SingleThreadedBlas() {
  BlasUse& use = blas_use();
  const std::lock_guard lock(use.mutex);
  if (--use.scopes == 0 && use.threads_before != 1) openblas().set_num_threads(use.threads_before);
}

}  // namespace gckn
