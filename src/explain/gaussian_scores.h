// SPDX-License-Identifier: BSD-3-Clause
// The scores of one target of a model with a Gaussian head (learn/gaussian_kernel.h),
//   f(o, x) = bias + sum over support graphs i of  a_i exp(slope (|z(x) - z_i|^2 / m_vectors + (1 - o_i) / m_states)),
// as functions of the vector x of a graph and of its assignments o to the support graphs, and shares of them.
//
// A part t of a graph, masks of t on all its paths, has the vector t x and the assignments t o: both are homogeneous of
// degree 1. Along the way from the empty graph, t = 0, to the whole one the score changes by
//   f(o, x) - f(0, 0) = <o, mean of df/do> + <x, mean of df/dx>,   means over t in [0, 1],
// so with these means for a gradient shares add up to the score minus that of the empty graph, as they do where scores
// are linear, whose gradient is the same everywhere (Aumann and Shapley 1974; integrated gradients, Sundararajan et al.
// 2017). Immutable, for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/model.h"
#include "model/support_graphs.h"
#include "network/node_states.h"

namespace gckn {

// How the states of one graph make its assignments to the support graphs: linear in how much of each state is there.
class StateAssignment {
 public:
  // counts: of that graph alone. The support graphs compare states.
  StateAssignment(const SupportGraphs& support, const StateCounts& counts);

  // By support graph.
  [[nodiscard]] std::vector<double> of(std::span<const double> present) const;
  // The gradient by state, from that by support graph.
  [[nodiscard]] std::vector<double> backward(std::span<const double> d_assignment) const;

 private:
  struct Use {
    std::uint32_t state, graph;
    double value;
  };
  std::size_t states_, graphs_;
  std::vector<Use> uses_;
};

class GaussianScores {
 public:
  // The model must outlive this.
  GaussianScores(const Model& model, std::size_t target);

  // What is compared of a graph; the other is empty.
  struct Compared {
    std::span<const double> assignment{};
    std::span<const double> vector{};
  };
  struct Gradient {
    std::vector<double> assignment;
    std::vector<double> vector;
  };

  // By output.
  [[nodiscard]] std::vector<double> of(const Compared& graph) const;
  // Where the way begins: of nothing of a graph. A training graph without nodes, which is equal to the empty graph, is
  // no nearer to it than others.
  [[nodiscard]] std::vector<double> of_nothing() const;
  // Of the sum of the scores times d_scores.
  [[nodiscard]] Gradient gradient(const Compared& graph, std::span<const double> d_scores) const;
  // Its mean along the way from the empty graph, by quadrature: its product with `graph` is the change of that sum to
  // 1e-9 of its terms.
  [[nodiscard]] Gradient mean_gradient(const Compared& graph, std::span<const double> d_scores) const;

  [[nodiscard]] const SupportGraphs& support() const { return support_; }

 private:
  struct Points {  // of the way, with what each weighs
    std::vector<double> t, weight;
  };
  [[nodiscard]] DoubleMatrix kernel_at(const Compared& graph, std::span<const double> t, DoubleMatrix& z) const;
  [[nodiscard]] Gradient gradient_over(const Compared& graph, std::span<const double> d_scores,
                                       const Points& points) const;

  const SupportGraphs& support_;
  const TargetModel& target_;
};

}  // namespace gckn
