// SPDX-License-Identifier: BSD-3-Clause
// liblinear, the oracle of our solvers.
#pragma once

#include <vector>

#include "gckn/matrix.h"

namespace gckn::test {

enum class LiblinearLoss { squared_hinge, logistic };

// The weights that liblinear finds for labels -1 and 1. The bias, if any, is a column of the rows.
std::vector<double> liblinear_weights(LiblinearLoss loss, const DoubleMatrix& rows, std::vector<double> labels,
                                      double c);

}  // namespace gckn::test
