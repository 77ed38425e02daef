// SPDX-License-Identifier: BSD-3-Clause
// Learning from some graphs of a set and embedding all of them, with patterns compiled beforehand: what searches and
// cross-validation do again and again.
#pragma once

#include <span>

#include "gckn/network.h"
#include "network/anchor_store.h"
#include "network/pattern_store.h"

namespace gckn {

// One row per graph of the set. Anchors and scales are learnt from the training graphs alone (is_training: by graph;
// empty means all). Opens no ThreadScope: may run on several threads at once, as long as options.progress may. anchors:
// of these training graphs and fit_options; those that it has are not learnt again.
Matrix fit_on_and_embed(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training,
                        const CompiledLayers& compiled, const FitOptions& fit_options, AnchorStore<float>& anchors,
                        const RunOptions& options);

}  // namespace gckn
