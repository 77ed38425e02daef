// SPDX-License-Identifier: BSD-3-Clause
// BLAS and LAPACK on one thread. We run several factorisations side by side ourselves, and a BLAS that splits one would
// change its bits with the number of cores. But its number of threads belongs to the whole process, and so to the
// program that we are a part of: it gets it back.
#pragma once

namespace gckn {

// While any of these lives, on whatever thread, OpenBLAS uses one thread; when the last is gone, as many as before the
// first came. The program may call BLAS meanwhile, more slowly; what it sets meanwhile is lost.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

}  // namespace gckn
