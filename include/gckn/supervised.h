// SPDX-License-Identifier: BSD-3-Clause
// End-to-end training: anchors and linear model learnt together, by back-propagation. docs/training.md says when it
// pays.
//
// The start is what is learnt without back-propagation: anchors by k-means, and the linear model at its optimum on
// their vectors, as these are (unless `standardised`). Then Adam on both,
//   minimise  1/n sum_i v_i loss(W vector(graph_i; anchors) + b, target_i) + penalty / 2 |W|^2,
// with the anchors brought back to unit length at every position after each step. Numbers as targets are standardised
// for that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gckn/learning.h"
#include "gckn/network.h"

namespace gckn {

struct SupervisedOptions {
  int epochs = 350;                     // at most; where they are chosen, the candidates are 1 .. epochs
  int batch_size = 32;                  // graphs per step
  double learning_rate = 0.01;          // of Adam
  int halve_every = 50;                 // epochs after which the learning rate is halved
  std::vector<double> penalties{1e-4};  // of the squared weights; more than one: candidates like networks
  // Under the nested protocol: how many of the inner folds are trained on to choose network, penalty and epochs. Each
  // is a training of its own; the first one alone is a hold-out part.
  int selection_folds = 1;
  // Columns of the vectors are brought to mean 0 and variance 1, by what these are of the training graphs at the start;
  // they stay so while the vectors change. Not in the authors' code: where columns are small, as with means over nodes,
  // weights must be large, which the penalty and steps of one size for all of them keep them from becoming.
  bool standardised = false;
};

// Throws UsageError naming the first option that makes no sense, or what of a network cannot be trained.
void validate(const SupervisedOptions& options, const std::vector<NetworkConfig>& networks);
std::string to_json(const SupervisedOptions& options);

// One epoch of a training.
struct EpochRecord {
  int epoch = 0;  // from 1
  double learning_rate = 0;
  double loss = 0;     // mean over the batches of the epoch, while the parameters moved, without the penalty
  double penalty = 0;  // penalty / 2 |W|^2 at its end
  // Of the validation part, if there is one: its loss, and the metric that models are chosen by.
  std::optional<double> validation_loss{};
  std::optional<double> validation_figure{};

  bool operator==(const EpochRecord&) const = default;
};

// The history as a table (a header and one line per epoch), and as a picture of the losses and the validation figure.
// figure_name: what the validation figure is called. marked_epoch: that of the model, or 0.
std::string history_csv(const std::vector<EpochRecord>& history);
std::string history_svg(const std::vector<EpochRecord>& history, const std::string& title,
                        const std::string& figure_name, int marked_epoch);

}  // namespace gckn
