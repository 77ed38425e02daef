// SPDX-License-Identifier: BSD-3-Clause
// Predictions beside what graphs really are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gckn/cross_validation.h"
#include "gckn/graph_set.h"
#include "gckn/model.h"

namespace gckn {

// What graphs are, in the terms of one target of a model.
struct Truth {
  bool known = false;  // the graphs say something about this target; otherwise the rest is empty

  // By graph. For people, "" where it is missing.
  std::vector<std::string> text;
  // As the model counts classes: -1 for a missing one, and for one that the model does not know. Empty for numbers.
  std::vector<std::int32_t> class_of_graph;
  // NaN for a missing one. Empty for classes.
  std::vector<double> number_of_graph;

  std::uint64_t strange = 0;  // graphs of a class that the model does not know, or with a class where it has numbers
};

// By target of the model. Of several targets those of the same name are compared or, where the graphs' have no names,
// as many as the model has, in their order.
std::vector<Truth> truth_for(const Model& model, const GraphSet& graphs);

// The metrics of cross-validation with their intervals, of predictions that come in blocks.
class Scoring {
 public:
  // The model must outlive this.
  explicit Scoring(const Model& model);
  ~Scoring();
  Scoring(const Scoring&) = delete;
  Scoring& operator=(const Scoring&) = delete;

  // Graphs without a prediction or without the target do not count.
  void add(const Predictions& predictions, const std::vector<Truth>& truth);

  // By target; without methods for one that no graph had. `seed` is of the bootstrap.
  [[nodiscard]] std::vector<TargetResult> results(std::uint64_t seed) const;

  // Graphs that counted, by target.
  [[nodiscard]] std::vector<std::uint64_t> counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gckn
