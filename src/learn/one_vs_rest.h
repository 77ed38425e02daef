// SPDX-License-Identifier: BSD-3-Clause
// Squared-hinge classifiers for any number of classes, one against the rest, for a whole grid of C.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/matrix.h"

namespace gckn {

// Trains on some rows of `vectors` and predicts others. Standardises with the training rows alone.
// class_of_row: by row of `vectors`, 0 .. num_classes - 1. Returns, for every C of the ascending grid, the class of
// every test row: that of the largest score, ties to the lowest class. With two classes there is one problem, not two.
std::vector<std::vector<std::int32_t>> train_and_predict(const Matrix& vectors,
                                                         std::span<const std::int32_t> class_of_row,
                                                         std::int32_t num_classes, std::span<const std::uint32_t> train,
                                                         std::span<const std::uint32_t> test,
                                                         std::span<const double> grid);

}  // namespace gckn
