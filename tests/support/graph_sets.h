// SPDX-License-Identifier: BSD-3-Clause
// Comparing graph sets in tests.
#pragma once

#include "gckn/graph_set.h"

namespace gckn::test {

// Checks that nodes, edges and node labels (as indices) agree.
void expect_same_structure(const GraphSet& expected, const GraphSet& actual);

// Checks everything but name, merge counts and folds.
void expect_same_set(const GraphSet& expected, const GraphSet& actual);

}  // namespace gckn::test
