// SPDX-License-Identifier: BSD-3-Clause
// Random networks for property tests.
#pragma once

#include "gckn/network.h"
#include "support/random_graphs.h"
#include "util/random.h"

namespace gckn {

// A few small graphs: sparse or dense, with labels, edge labels and attributes or without.
RandomGraphs random_shape(Random& random);

// A random configuration of one to three layers that touches every option. On some sets it cannot be fitted: there may
// be no path of the full length.
NetworkConfig random_config(Random& random, const RandomGraphs& shape);

}  // namespace gckn
