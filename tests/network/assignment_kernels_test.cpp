// SPDX-License-Identifier: BSD-3-Clause
// Optimal assignment kernels against states that are written out as what they stand for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gckn/error.h"
#include "gckn/kernels.h"
#include "gckn/network.h"
#include "linalg/vector_ops.h"
#include "network/assignment.h"
#include "network/encoding.h"
#include "support/files.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

using test::expect_input_error;

DoubleMatrix dense_rows(const SparseRows<double>& rows) {
  DoubleMatrix matrix(rows.rows(), rows.columns);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t e = 0; e < rows.row(i).size(); ++e) matrix(i, rows.row(i).index[e]) = rows.row(i).weight[e];
  }
  return matrix;
}

// What a node is after a number of rounds, as a text that says everything.
using Terms = std::vector<std::vector<std::string>>;  // by round and node

std::string label_of(const GraphSet& graphs, std::uint32_t u) {
  return graphs.has_node_labels() ? std::to_string(graphs.node_label_values()[graphs.node_labels()[u]])
                                  : std::to_string(graphs.degree(u));
}

std::string joined(const std::multiset<std::string>& texts) {
  std::string all = "{";
  for (const std::string& text : texts) all += text + ";";
  return all + "}";
}

void list_paths(const GraphSet& graphs, bool edge_labels, std::vector<std::uint32_t>& path, const std::string& text,
                std::size_t longest, std::vector<std::multiset<std::string>>& found) {
  found[path.size() - 1].insert(text);
  if (path.size() > longest) return;
  const std::uint32_t end = path.back();
  for (std::uint64_t a = graphs.arc_begin(end); a < graphs.arc_begin(end + 1); ++a) {
    const std::uint32_t next = graphs.arcs()[a];
    if (std::ranges::find(path, next) != path.end()) continue;
    path.push_back(next);
    const std::string edge = edge_labels ? "=" + std::to_string(graphs.arc_labels()[a]) + "=" : "-";
    list_paths(graphs, edge_labels, path, text + edge + label_of(graphs, next), longest, found);
    path.pop_back();
  }
}

Terms path_terms(const GraphSet& graphs, std::size_t rounds, bool edge_labels) {
  Terms terms(rounds + 1, std::vector<std::string>(graphs.num_nodes()));
  for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) {
    std::vector<std::multiset<std::string>> found(rounds + 1);
    std::vector<std::uint32_t> path{u};
    list_paths(graphs, edge_labels, path, label_of(graphs, u), rounds, found);
    for (std::size_t k = 0; k <= rounds; ++k) terms[k][u] = (k > 0 ? terms[k - 1][u] : "") + joined(found[k]);
  }
  return terms;
}

Terms wl_terms(const GraphSet& graphs, std::size_t rounds, bool edge_labels) {
  Terms terms(rounds + 1, std::vector<std::string>(graphs.num_nodes()));
  for (std::size_t k = 0; k <= rounds; ++k) {
    for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) {
      if (k == 0) {
        terms[0][u] = label_of(graphs, u);
        continue;
      }
      std::multiset<std::string> around;
      for (std::uint64_t a = graphs.arc_begin(u); a < graphs.arc_begin(u + 1); ++a) {
        around.insert((edge_labels ? std::to_string(graphs.arc_labels()[a]) : "") + ":" +
                      terms[k - 1][graphs.arcs()[a]]);
      }
      terms[k][u] = terms[k - 1][u] + joined(around);
    }
  }
  return terms;
}

DoubleMatrix assignment_by_terms(const GraphSet& graphs, const Terms& terms) {
  DoubleMatrix k(graphs.num_graphs(), graphs.num_graphs());
  for (const std::vector<std::string>& round : terms) {
    std::vector<std::map<std::string, int>> count(graphs.num_graphs());
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      for (std::uint32_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u) ++count[g][round[u]];
    }
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      for (std::size_t h = 0; h < graphs.num_graphs(); ++h) {
        for (const auto& [term, number] : count[g]) {
          const auto found = count[h].find(term);
          if (found != count[h].end()) k(g, h) += std::min(number, found->second);
        }
      }
    }
  }
  return k;
}

KernelOptions assignment(ExactKernel kernel, int rounds, bool edge_labels = false) {
  KernelOptions options;
  options.kernel = kernel;
  options.path_length = rounds;
  options.edge_labels = edge_labels;
  return options;
}

TEST(AssignmentKernels, AreThoseOfWrittenOutStates) {
  for (const bool edge_labels : {false, true}) {
    for (const std::uint32_t labels : {0U, 2U}) {
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const GraphSet graphs =
            random_graphs({.graphs = 25, .labels = labels, .edge_labels = edge_labels ? 2U : 0U}, seed);
        for (const int rounds : {0, 1, 2, 4}) {
          const auto r = static_cast<std::size_t>(rounds);
          EXPECT_TRUE(
              std::ranges::equal(kernel_matrix(graphs, assignment(ExactKernel::path_oa, rounds, edge_labels)).values(),
                                 assignment_by_terms(graphs, path_terms(graphs, r, edge_labels)).values()))
              << "paths, seed " << seed << ", " << rounds << " edges, " << labels << " labels";
          EXPECT_TRUE(
              std::ranges::equal(kernel_matrix(graphs, assignment(ExactKernel::wl_oa, rounds, edge_labels)).values(),
                                 assignment_by_terms(graphs, wl_terms(graphs, r, edge_labels)).values()))
              << "WL, seed " << seed << ", " << rounds << " rounds, " << labels << " labels";
        }
      }
    }
  }
}

// C-C-O and C-O-C-O, by hand. Labels: min(2, 2) C and min(1, 2) O. Paths of one edge: the first graph has {CC}, {CC,CO}
// and {OC}, the second {CO}, {OC,OC}, {CO,CO} and {OC}: one O with OC is in both. Of two edges: {CCO}, {}, {OCC}
// against {COC}, {OCO}, {COC} and {OCO}: nothing.
TEST(AssignmentKernels, OfTwoSmallGraphsByHand) {
  GraphSetParts parts;
  parts.graph_sizes = {3, 4};
  parts.node_labels = {6, 6, 8, 6, 8, 6, 8};
  parts.edge_from = {0, 1, 3, 4, 5};
  parts.edge_to = {1, 2, 4, 5, 6};
  const GraphSet graphs(std::move(parts));
  const DoubleMatrix k = kernel_matrix(graphs, assignment(ExactKernel::path_oa, 2));
  EXPECT_EQ(k(0, 1), 3 + 1 + 0);
  EXPECT_EQ(k(0, 0), 9);
  EXPECT_EQ(k(1, 1), 12);
}

// The triangle and the path of three nodes: their paths tell them apart where labels do not; a ring of six and two
// rings of three have the same WL colours in all rounds, but not the same paths.
TEST(AssignmentKernels, PathsTellRingsApartThatColoursDoNot) {
  GraphSetParts parts;
  parts.graph_sizes = {6, 6};
  parts.node_labels.assign(12, 1);
  parts.edge_from = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  parts.edge_to = {1, 2, 3, 4, 5, 0, 7, 8, 6, 10, 11, 9};
  const GraphSet graphs(std::move(parts));
  EXPECT_EQ(kernel_matrix(graphs, assignment(ExactKernel::wl_oa, 5))(0, 1), 36);
  EXPECT_EQ(kernel_matrix(graphs, assignment(ExactKernel::path_oa, 5))(0, 1), 18);  // up to two edges they are equal
}

TEST(AssignmentKernels, OfAnotherSetAreRowsOfTheWholeMatrix) {
  const GraphSet graphs = random_graphs({.graphs = 40, .labels = 3, .edge_labels = 2}, 7);
  std::vector<std::uint32_t> first, second;
  for (std::uint32_t g = 0; g < 40; ++g) (g % 3 == 0 ? first : second).push_back(g);
  const GraphSet some = select_graphs(graphs, first);
  const GraphSet others = select_graphs(graphs, second);
  for (const ExactKernel kernel : {ExactKernel::path_oa, ExactKernel::wl_oa}) {
    for (const bool normalised : {false, true}) {
      KernelOptions options = assignment(kernel, 3, true);
      options.normalised = normalised;
      const DoubleMatrix whole = kernel_matrix(graphs, options);
      const DoubleMatrix part = kernel_matrix(some, others, options);
      ASSERT_EQ(part.rows(), first.size());
      ASSERT_EQ(part.cols(), second.size());
      for (std::size_t i = 0; i < first.size(); ++i) {
        for (std::size_t j = 0; j < second.size(); ++j) EXPECT_EQ(part(i, j), whole(first[i], second[j]));
      }
    }
  }
}

// Hashed to few columns, inner products are right on average and have the deviation that the header promises.
TEST(AssignmentKernels, OfHashedStatesAreNear) {
  const GraphSet graphs(random_parts({.graphs = 40, .most_nodes = 20, .labels = 3}, 6));
  const GraphRange all{0, graphs.num_graphs()};
  NetworkConfig config = states(2);
  const StateCounts counts =
      count_states(node_states(StateKind::path, graphs, all, fit_encoding(graphs, config), 2, {}), graphs, all);
  const DoubleMatrix exact = dense_rows(AssignmentColumns(counts).rows(counts, true));
  const AssignmentColumns columns = AssignmentColumns::hashed(10);
  ASSERT_EQ(columns.size(), 1024U);
  const DoubleMatrix hashed = dense_rows(columns.rows(counts, true));
  double error = 0;
  double square = 0;
  for (std::size_t i = 0; i < exact.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double difference =
          dot(hashed.row(i), hashed.row(j), hashed.cols()) - dot(exact.row(i), exact.row(j), exact.cols());
      error += difference;
      square += difference * difference;
    }
  }
  const double pairs = 40.0 * 39 / 2;
  EXPECT_LT(std::abs(error / pairs), 0.01);
  EXPECT_LT(std::sqrt(square / pairs), 2 / 32.0);
  EXPECT_GT(std::sqrt(square / pairs), 0.0);
}

TEST(AssignmentKernels, RefuseWhatTheyCannotCompare) {
  const GraphSet attributes = random_graphs({.graphs = 5, .labels = 0, .attributes = 2}, 1);
  const GraphSet labels = random_graphs({.graphs = 5, .labels = 2}, 1);
  expect_input_error([&] { (void)kernel_matrix(attributes, assignment(ExactKernel::path_oa, 2)); },
                     {"labels or degrees, not attributes"});
  EXPECT_THROW((void)kernel_matrix(labels, labels, assignment(ExactKernel::path, 2)), UsageError);
  EXPECT_THROW((void)kernel_matrix(labels, labels, assignment(ExactKernel::wl_oa, 64)), UsageError);
  RunOptions few;
  few.max_paths = 10;
  EXPECT_THROW((void)kernel_matrix(labels, assignment(ExactKernel::path_oa, 4), few), LimitError);
  EXPECT_EQ(kernel_matrix(GraphSet(), labels, assignment(ExactKernel::path_oa, 2)).rows(), 0U);
}

}  // namespace
}  // namespace gckn
