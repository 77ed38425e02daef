// SPDX-License-Identifier: BSD-3-Clause
// Cross-validation as a part of a larger computation.
#pragma once

#include <optional>

#include "gckn/cross_validation.h"
#include "learn/run_progress.h"
#include "network/fit.h"

namespace gckn {

struct ProtocolOutcome {
  CrossValidationResult result;
  // The network that was chosen for all folds, as it was fitted on all graphs; the nested protocol has no such.
  std::optional<FittedNetwork> fitted;
};

// What cross_validate does, on the threads of the caller's ThreadScope.
ProtocolOutcome run_protocol(const GraphSet& graphs, const CrossValidationOptions& cv, RunProgress& progress);

}  // namespace gckn
