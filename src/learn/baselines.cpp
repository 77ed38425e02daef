// SPDX-License-Identifier: BSD-3-Clause
#include "learn/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gckn/kernels.h"
#include "learn/linear_model.h"
#include "linalg/cholesky.h"

namespace gckn {
namespace {

// Graphs x distinct values.
Matrix counts(const GraphSet& graphs, std::size_t num_values, const auto& value_of_node) {
  Matrix result(graphs.num_graphs(), num_values);
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    for (std::size_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u) result(g, value_of_node(u)) += 1.0F;
  }
  return result;
}

Matrix attribute_means(const GraphSet& graphs) {
  const std::size_t columns = graphs.node_attribute_columns();
  Matrix result(graphs.num_graphs(), columns + 1);  // and the number of nodes
  std::vector<double> sum(columns);
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    std::ranges::fill(sum, 0.0);
    for (std::size_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u) {
      for (std::size_t k = 0; k < columns; ++k) sum[k] += graphs.node_attributes()[u * columns + k];
    }
    const double nodes = graphs.graph_begin(g + 1) - graphs.graph_begin(g);
    for (std::size_t k = 0; k < columns; ++k) result(g, k) = static_cast<float>(sum[k] / std::max(nodes, 1.0));
    result(g, columns) = static_cast<float>(nodes);
  }
  return result;
}

Baseline histogram(const GraphSet& graphs) {
  if (graphs.has_node_labels()) {
    return {"label histogram",
            counts(graphs, graphs.node_label_values().size(), [&](std::size_t u) { return graphs.node_labels()[u]; })};
  }
  if (graphs.node_attribute_columns() > 0) return {"attribute means", attribute_means(graphs)};
  std::uint32_t most = 0;
  for (std::size_t u = 0; u < graphs.num_nodes(); ++u) most = std::max(most, graphs.degree(u));
  return {"degree histogram", counts(graphs, std::size_t{most} + 1, [&](std::size_t u) { return graphs.degree(u); })};
}

// Rows whose inner products are the kernel: with K = U' U, the columns of U.
Matrix rows_of_kernel(DoubleMatrix kernel) {
  constexpr double kRidge = 1e-6;  // of a normalised kernel: equal graphs make it singular
  const std::size_t n = kernel.rows();
  for (std::size_t i = 0; i < n; ++i) kernel(i, i) += kRidge;
  if (!factor_positive_definite(kernel)) return {};
  Matrix rows(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) rows(j, i) = static_cast<float>(kernel(i, j));
  }
  return rows;
}

}  // namespace

std::vector<Baseline> make_baselines(const GraphSet& graphs, const RunOptions& options,
                                     std::vector<std::string>& remarks) {
  std::vector<Baseline> baselines;
  baselines.push_back(histogram(graphs));
  if (graphs.num_graphs() > kMostWlGraphs) {
    remarks.push_back(
        fmt::format("the WL subtree kernel is left out: its matrix of {} graphs is too large (at most {})",
                    graphs.num_graphs(), kMostWlGraphs));
    return baselines;
  }
  KernelOptions kernel;
  kernel.kernel = ExactKernel::wl_subtree;
  kernel.path_length = kWlRounds;
  kernel.normalised = true;
  kernel.features = graphs.has_node_labels() ? Features::labels : Features::degree;
  Matrix rows = rows_of_kernel(kernel_matrix(graphs, kernel, options));
  if (rows.empty()) {
    remarks.emplace_back("the WL subtree kernel is left out: its matrix could not be factored");
  } else {
    baselines.push_back({"WL subtree kernel", std::move(rows), false});
  }
  return baselines;
}

std::vector<double> baseline_c_grid() {
  return {1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000, 10000};
}

DoubleMatrix constant_scores(const TargetColumn& target, const std::vector<std::uint32_t>& train, std::size_t tested) {
  std::vector<double> row(num_outputs(target), 0.0);
  if (target.is_classes()) {
    std::vector<std::size_t> count(target.class_names.size());
    for (const std::uint32_t g : train) ++count[static_cast<std::size_t>(target.class_of_graph[g])];
    // Logarithms of the classes' shares (with one more graph each, so that none is 0): the best constant probabilities.
    const auto share = [&](std::size_t c) { return std::log(static_cast<double>(count[c] + 1)); };
    if (row.size() == 1) {
      row[0] = share(1) - share(0);
    } else {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = share(c);
    }
  } else {
    for (const std::uint32_t g : train) row[0] += target.number_of_graph[g] / static_cast<double>(train.size());
  }
  DoubleMatrix scores(tested, row.size());
  for (std::size_t i = 0; i < tested; ++i) std::ranges::copy(row, scores.row(i));
  return scores;
}

}  // namespace gckn
