// SPDX-License-Identifier: BSD-3-Clause
// A preconditioner for the system of a Newton step on sparse rows, S = I + X' E X - q q' / b (sparse_linear.h), where
// there are more rows than columns: the block of S of the columns F with the largest diagonal, which many rows share
// and which are alike in many of them, and the diagonal of S for all others. Of one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"
#include "learn/reduced_rows.h"

namespace gckn {

// Of a system: by row e, by shared column q and the diagonal of S, and b.
struct NewtonSystem {
  const std::vector<double>& e;
  const std::vector<double>& q;
  const std::vector<double>& diagonal;
  double penalty;  // of the bias; b is that plus the sum of e
};

class FrequentColumns {
 public:
  // Fits the preconditioner to a system. The block is made anew only if e has changed by more than a factor and a
  // little; it is otherwise that of the e it was made with, times the factor.
  void update(const ReducedRows& rows, const NewtonSystem& system, const RunOptions& options);

  // How many products a step took, of rows with so many entries: where a block of twice the size would have cost less
  // than half of that, the next one has it.
  void took(std::size_t products, std::size_t entries);

  // z = P^-1 r, z being r divided by the diagonal already.
  void apply(const std::vector<double>& r, std::vector<double>& z);

 private:
  void multiply(const ReducedRows& rows, const NewtonSystem& system, const RunOptions& options);

  std::size_t size_ = 512;              // that F may have
  std::vector<std::uint32_t> members_;  // F, ascending
  std::vector<double> made_with_;       // e
  std::vector<double> q_;               // of F, with that e
  DoubleMatrix products_;               // X_F' E X_F, upper triangle
  DoubleMatrix factor_;
  std::vector<double> part_;
};

}  // namespace gckn
