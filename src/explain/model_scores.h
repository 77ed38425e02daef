// SPDX-License-Identifier: BSD-3-Clause
// The scores of one target of a model as linear functions of the graph vector, as it is before it is standardised, or
// of the row of states. Of a kernel machine, whose scores are no such functions, only the scores of the empty graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/model.h"

namespace gckn {

struct ModelScores {
  ModelScores(const Model& model, std::size_t target);

  // Of all outputs, from a vector.
  [[nodiscard]] std::vector<double> of(std::span<const double> vector) const;
  // The class with the largest score, of equals the lowest; -1 for numbers.
  [[nodiscard]] std::int32_t predicted(std::span<const double> scores) const;

  // What is explained of the prediction of a class: its score, of two classes with the sign of the second one's score
  // turned for the first; of numbers the number.
  [[nodiscard]] double explained(std::span<const double> scores, std::int32_t of_class) const;
  // Its gradient by the scores.
  [[nodiscard]] std::vector<double> d_explained(std::int32_t of_class) const;
  // From that by the scores the gradient by the vector.
  [[nodiscard]] std::vector<double> gradient(std::span<const double> d_scores) const;

  std::size_t num_classes = 0;  // 0: numbers
  DoubleMatrix weights;         // outputs x vector size
  std::vector<double> bias;     // the scores of the empty graph, whose vector is 0

 private:
  [[nodiscard]] std::size_t output_of(std::int32_t of_class) const;
  [[nodiscard]] double sign_of(std::int32_t of_class) const { return num_classes == 2 && of_class == 0 ? -1.0 : 1.0; }
};

// The network in double precision.
BasicNetwork<double> in_double(const Network& network);

}  // namespace gckn
