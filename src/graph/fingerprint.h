// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "gckn/graph_set.h"

namespace gckn {

// A number that tells sets apart: it depends on all graphs, labels, attributes, targets and their order, not on the
// name. Not cryptographic.
std::uint64_t fingerprint(const GraphSet& graphs);

}  // namespace gckn
