// SPDX-License-Identifier: BSD-3-Clause
// Learning from some graphs of a set and embedding all of them, with patterns compiled beforehand: what searches and
// cross-validation do again and again.
#pragma once

#include <span>

#include "gckn/network.h"
#include "network/anchor_store.h"
#include "network/pattern_store.h"

namespace gckn {

// is_training: by graph; empty means all. The encoding knows all labels of the set (a label that no training graph has
// occurs in no anchor, so it is orthogonal to all of them), but attributes are scaled as the training graphs ask for.
InputEncoding fit_encoding(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training);

// A network and what it makes of the graphs it was fitted within: one row per graph.
struct FittedNetwork {
  Network network;
  Matrix vectors;
};

// Anchors and scales are learnt from the training graphs alone; all graphs of the set are embedded. Opens no
// ThreadScope: may run on several threads at once, as long as options.progress may. anchors: of these training graphs
// and fit_options; those that it has are not learnt again. With all graphs as training graphs the network is that of
// fit_network, to the bit.
FittedNetwork fit_on_and_embed(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training,
                               const CompiledLayers& compiled, const FitOptions& fit_options,
                               AnchorStore<float>& anchors, const RunOptions& options);

}  // namespace gckn
