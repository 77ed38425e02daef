// SPDX-License-Identifier: BSD-3-Clause
#include "learn/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gckn/cross_validation.h"
#include "gckn/kernels.h"
#include "learn/equal_rows.h"
#include "learn/linear_model.h"
#include "linalg/cholesky.h"

namespace gckn {
namespace {

constexpr const char* kWlName = "WL optimal assignment";

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

// Nothing, and a remark, if it would be too large.
void add_histogram(const GraphSet& graphs, std::vector<Baseline>& baselines, std::vector<std::string>& remarks) {
  if (!graphs.has_node_labels() && graphs.node_attribute_columns() > 0) {
    baselines.push_back({"attribute means", attribute_means(graphs)});
    return;
  }
  const bool by_label = graphs.has_node_labels();
  std::size_t values = graphs.node_label_values().size();
  if (!by_label) {
    std::uint32_t most = 0;
    for (std::size_t u = 0; u < graphs.num_nodes(); ++u) most = std::max(most, graphs.degree(u));
    values = std::size_t{most} + 1;
  }
  const char* name = by_label ? "label histogram" : "degree histogram";
  if (values > kMostHistogramNumbers / std::max<std::size_t>(graphs.num_graphs(), 1)) {
    remarks.push_back(fmt::format("the {} is left out: {} graphs times {} {} are too many numbers (at most {})", name,
                                  graphs.num_graphs(), values, by_label ? "labels" : "degrees", kMostHistogramNumbers));
    return;
  }
  baselines.push_back({name, counts(graphs, values, [&](std::size_t u) {
                         return by_label ? graphs.node_labels()[u] : graphs.degree(u);
                       })});
}

// Of a normalised kernel, which may be singular. It is of distinct graphs: between two that are equal it is as within
// one, for else a graph's own place in the matrix would tell it from its equals.
constexpr double kKernelRidge = 1e-6;

// Rows whose inner products are the kernel: with K = U' U of the distinct graphs, the columns of U, the same one for
// equal graphs. Empty if there is no such U.
Matrix rows_of_kernel(const DoubleMatrix& kernel, const RunOptions& options) {
  const std::size_t n = kernel.rows();
  const std::vector<std::uint32_t> first = first_equal_rows(kernel);
  std::vector<std::uint32_t> distinct;
  std::vector<std::size_t> place(n);  // among the distinct ones
  for (std::uint32_t i = 0; i < n; ++i) {
    if (first[i] == i) distinct.push_back(i);
    place[i] = first[i] == i ? distinct.size() - 1 : place[first[i]];
  }
  const std::size_t d = distinct.size();
  auto factor = DoubleMatrix::uninitialised(d, d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) factor(i, j) = kernel(distinct[i], distinct[j]) + (i == j ? kKernelRidge : 0.0);
  }
  if (!factor_positive_definite(factor, options, Workers::all)) return {};
  Matrix rows(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k <= place[i]; ++k) rows(i, k) = static_cast<float>(factor(k, place[i]));
  }
  return rows;
}

// With a constant for the bias, and a ridge as above so that learners agree.
DoubleMatrix with_bias(DoubleMatrix kernel) {
  const std::vector<std::uint32_t> first = first_equal_rows(kernel);
  for (std::size_t i = 0; i < kernel.rows(); ++i) {
    for (std::size_t j = 0; j < kernel.cols(); ++j) {
      kernel(i, j) += first[i] == first[j] ? 1.0 + kKernelRidge : 1.0;
    }
  }
  return kernel;
}

}  // namespace

std::vector<Baseline> make_baselines(const GraphSet& graphs, Learner learner, const RunOptions& options,
                                     std::vector<std::string>& remarks) {
  std::vector<Baseline> baselines;
  add_histogram(graphs, baselines, remarks);
  if (graphs.num_graphs() > kMostKernelGraphs) {
    remarks.push_back(fmt::format("the {} is left out: its matrix of {} graphs is too large (at most {})", kWlName,
                                  graphs.num_graphs(), kMostKernelGraphs));
    return baselines;
  }
  KernelOptions kernel;
  kernel.kernel = ExactKernel::wl_oa;
  kernel.path_length = kWlRounds;
  kernel.normalised = true;
  kernel.features = graphs.has_node_labels() ? Features::labels : Features::degree;
  DoubleMatrix matrix = kernel_matrix(graphs, kernel, options);
  if (learner == Learner::svm) {
    baselines.push_back({kWlName, {}, false, with_bias(std::move(matrix))});
    return baselines;
  }
  Matrix rows = rows_of_kernel(matrix, options);
  if (rows.empty()) {
    remarks.push_back(fmt::format("the {} is left out: its matrix could not be factored", kWlName));
  } else {
    baselines.push_back({kWlName, std::move(rows), false});
  }
  return baselines;
}

std::vector<double> baseline_c_grid(bool of_kernel) {
  if (of_kernel) return {1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100};
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
