// SPDX-License-Identifier: BSD-3-Clause
// The training graphs that a machine on a Gaussian kernel (learn/gaussian_kernel.h) needs to predict others: what is
// compared of them, and the scales of distances. Immutable, for any number of threads.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/network.h"
#include "learn/gaussian_kernel.h"
#include "linalg/sparse_rows.h"
#include "network/assignment.h"

namespace gckn {

class SupportGraphs {
 public:
  // As they are saved.
  struct Parts {
    GaussianScales scales;
    // Where states are compared: columns, and ones where a graph has them. Every state of a support graph has a column.
    std::shared_ptr<const AssignmentColumns> columns;
    SparseRows<double> rows;
    // Where vectors are compared: those of the graphs, and what standardises them; a scale of 0 leaves a column out.
    Matrix vectors;
    std::vector<double> mean, scale;
  };

  // Throws UsageError if the parts do not fit together.
  explicit SupportGraphs(Parts parts);

  [[nodiscard]] const Parts& parts() const { return parts_; }
  [[nodiscard]] std::size_t size() const;

  // K of graphs with these states (none where they are not compared) and vectors: graphs x support graphs.
  [[nodiscard]] DoubleMatrix kernel(const StateCounts& states, const Matrix& vectors) const;
  // The same from normalised assignments and standardised vectors (none where they are not compared).
  [[nodiscard]] DoubleMatrix kernel(const DoubleMatrix& assignment, const DoubleMatrix& z) const;
  // Of a graph without nodes, whose vector is 0: 1 x support graphs.
  [[nodiscard]] DoubleMatrix kernel_of_empty_graph() const;

  // Standardised as those of the support graphs.
  [[nodiscard]] DoubleMatrix standardised(const DoubleMatrix& vectors) const;

  // Where states are compared: the support graphs that have a column, ascending, and what their rows are divided by.
  [[nodiscard]] std::span<const std::uint32_t> graphs_with(std::uint32_t column) const {
    return graphs_of_column_.row(column).index;
  }
  [[nodiscard]] double norm(std::size_t i) const { return std::sqrt(sizes_[i]); }

 private:
  [[nodiscard]] DoubleMatrix assignment(const StateCounts& states) const;

  Parts parts_;
  SparseRows<double> graphs_of_column_;
  std::vector<double> sizes_;  // OA of each graph with itself
  std::optional<SquaredDistances> distances_;
};

}  // namespace gckn
