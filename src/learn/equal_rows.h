// SPDX-License-Identifier: BSD-3-Clause
// Which rows of a matrix are the same: the equal graphs of a kernel, which no learner may tell apart.
#pragma once

#include <cstdint>
#include <vector>

#include "gckn/matrix.h"

namespace gckn {

// By row: the first row with the same numbers, itself if there is none before it. In parallel.
std::vector<std::uint32_t> first_equal_rows(const DoubleMatrix& matrix);

}  // namespace gckn
