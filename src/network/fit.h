// SPDX-License-Identifier: BSD-3-Clause
// Learning from some graphs of a set and embedding all of them, with patterns compiled beforehand: what searches and
// cross-validation do again and again.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "gckn/network.h"
#include "network/anchor_store.h"
#include "network/assignment.h"
#include "network/compiled_set.h"

namespace gckn {

// What the networks of a search on one graph set share: its encoding and patterns. Order a search as PatternStore says.
// Not for several threads at once.
class SharedPatterns {
 public:
  explicit SharedPatterns(const GraphSet& graphs) : graphs_(graphs) {}

  // Graphs stand in the order of their contents, so that what is learnt does not depend on that of the file.
  CompiledSet compile(const NetworkConfig& config, const RunOptions& options);

  // The same without graphs that are evaluated directly, as batches of end-to-end training need it: in most sets there
  // are none. Throws LimitError where there are too many patterns then.
  CompiledSet compile_for_training(const NetworkConfig& config, const RunOptions& options);

 private:
  const GraphSet& graphs_;
  std::string input_key_;
  InputEncoding encoding_;  // of all graphs
  std::shared_ptr<const EncodedSet> set_;
  PatternStore patterns_;
  PatternStore training_patterns_;
};

// The states of a set's nodes as something to compare its graphs by. Nothing is learnt but which states there are, and
// one that no training graph has is of no weight.
struct StatesOfGraphs {
  InputEncoding encoding;
  std::shared_ptr<const AssignmentColumns> columns;
  SparseRows<double> rows;  // normalised (network/assignment.h), one per graph
  DoubleMatrix assignment;  // between all graphs, normalised; for the Gaussian head
};

// How nodes are read where their states are compared: by labels or degrees; attributes that stand beside labels are
// left aside.
InputEncoding encoding_of_states(InputEncoding encoding);

// Of a configuration that compares states. Throws UnsuitableNetwork for attributes without labels, LimitError for too
// many paths.
std::shared_ptr<const StatesOfGraphs> states_of_graphs(const GraphSet& graphs, const NetworkConfig& config,
                                                       const FitOptions& fit_options, const RunOptions& options);

// A network and what it makes of the graphs it was fitted within.
struct FittedNetwork {
  Network network;
  Matrix vectors;                                  // one row per graph; where these are compared
  std::shared_ptr<const StatesOfGraphs> states{};  // where these are
};

// Of a configuration that compares states alone: a network without anchors.
FittedNetwork fitted_states(const GraphSet& graphs, const NetworkConfig& config, const FitOptions& fit_options,
                            std::shared_ptr<const StatesOfGraphs> states);

// Anchors and scales are learnt from the training graphs alone (is_training: by graph; empty means all); all graphs of
// the set are embedded. Opens no ThreadScope: may run on several threads at once, as long as options.progress may.
// anchors: of these training graphs and fit_options; those that it has are not learnt again. With all graphs as
// training graphs the network is that of fit_network, to the bit; where these have more than FitOptions::max_nodes
// nodes, anchors are learnt from a sample here, too.
FittedNetwork fit_on_and_embed(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training,
                               const CompiledSet& compiled, const FitOptions& fit_options, AnchorStore<float>& anchors,
                               const RunOptions& options);

// What to say where anchors were learnt from a sample of the graphs.
std::string sampling_remark(const FitOptions& fit_options);

}  // namespace gckn
