// SPDX-License-Identifier: BSD-3-Clause
// Rows of numbers as comma separated text.
#pragma once

#include "gckn/matrix.h"
#include "gckn/run_options.h"
#include "io/atomic_file.h"

namespace gckn {

// One row per line, shortest decimals that read back to the same number. Reports progress.
template <typename Real>
void append_csv(AtomicFile& file, const BasicMatrix<Real>& rows, const RunOptions& options);

}  // namespace gckn
