// SPDX-License-Identifier: BSD-3-Clause
// How well a network's vectors tell classes apart, measured by cross-validation. docs/evaluation.md explains the
// protocols.
#pragma once

#include <cstdint>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/network.h"
#include "gckn/run_options.h"

namespace gckn {

enum class Protocol {
  nested,  // everything is chosen within the training graphs of each fold; the honest estimate
  paper,   // as published: anchors from all graphs, and the parameters with the best mean over the test folds
};

struct CrossValidationOptions {
  Protocol protocol = Protocol::nested;
  std::vector<NetworkConfig> networks;  // candidates, at least one
  std::vector<double> C = default_c_grid();
  std::vector<Fold> given_folds;  // used if not empty; otherwise the set's own folds if it has any, otherwise
  int folds = 10;                 // this many stratified ones
  int inner_folds = 5;            // of the nested protocol's search
  std::uint64_t seed = 0;
  FitOptions fit;  // its seed is replaced by the one above

  // 60 values from 1e-4 to 1e4, evenly spaced in their logarithms.
  static std::vector<double> default_c_grid();
};

struct FoldResult {
  std::size_t network = 0;  // index into the candidates
  double C = 0;
  double accuracy = 0;                  // on the test graphs, in [0, 1]
  double majority_accuracy = 0;         // of always naming the training graphs' largest class
  std::vector<std::int32_t> predicted;  // class index of each test graph, in the order of the fold
};

struct CrossValidationResult {
  bool optimistic = false;  // the protocol looked at test graphs to choose parameters
  std::vector<Fold> folds;
  std::vector<FoldResult> results;  // by fold
  double mean = 0;                  // of the folds' accuracies
  double deviation = 0;             // between folds (n - 1)
  double low = 0, high = 0;         // 95 % Wilson interval of the accuracy over all test graphs together
  double majority = 0;              // mean of the majority accuracies
};

// Folds of nearly equal size, each with nearly the same share of every class, shuffled by the seed. Graphs without a
// class are in none. Throws InputError if a class has fewer graphs than there are folds.
std::vector<Fold> stratified_folds(const Targets& targets, int folds, std::uint64_t seed);

// Throws InputError if the graphs have no classes or only one, or if a fold names a graph twice or one that is not
// there.
CrossValidationResult cross_validate(const GraphSet& graphs, const CrossValidationOptions& cv,
                                     const RunOptions& options = {});

}  // namespace gckn
