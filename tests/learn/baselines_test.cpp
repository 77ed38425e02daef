// SPDX-License-Identifier: BSD-3-Clause
#include "learn/baselines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "gckn/cross_validation.h"
#include "gckn/kernels.h"
#include "learn/equal_rows.h"
#include "support/class_targets.h"
#include "support/random_graphs.h"
#include "util/random.h"

namespace gckn {
namespace {

TEST(EqualRows, AreFoundWhereverTheyAre) {
  DoubleMatrix matrix(5, 2);
  const std::vector<double> values{1, 2, 0, 5, 1, 2, -0.0, 5, 2, 1};
  std::ranges::copy(values, matrix.data());
  EXPECT_EQ(first_equal_rows(matrix), (std::vector<std::uint32_t>{0, 1, 0, 1, 4}));
  EXPECT_TRUE(first_equal_rows(DoubleMatrix()).empty());
}

// Ten different graphs, each three times, in any order.
TEST(Baselines, EqualGraphsAreNotToldApart) {
  GraphSetParts parts = random_parts({.graphs = 10, .most_nodes = 8}, 3);
  parts.targets = test::classes_of_sizes({5, 5});
  const GraphSet ten(std::move(parts));
  std::vector<std::uint32_t> places = shuffled_numbers(30, 1);
  for (std::uint32_t& place : places) place %= 10;
  const GraphSet graphs = select_graphs(ten, places);
  KernelOptions options;
  options.kernel = ExactKernel::wl_oa;
  options.path_length = kWlRounds;
  options.normalised = true;
  const DoubleMatrix exact = kernel_matrix(graphs, options);
  for (const Learner learner : {Learner::svm, Learner::logistic, Learner::ridge}) {
    std::vector<std::string> remarks;
    const Baseline wl = make_baselines(graphs, learner, {}, remarks).back();
    ASSERT_EQ(wl.name, "WL optimal assignment");
    for (std::size_t i = 0; i < 30; ++i) {
      for (std::size_t j = 0; j < 30; ++j) {
        double product = 0;
        if (learner == Learner::svm) {
          product = wl.kernel(i, j) - 1;
        } else {
          product =
              std::inner_product(wl.vectors.row(i), wl.vectors.row(i) + wl.vectors.cols(), wl.vectors.row(j), 0.0);
        }
        EXPECT_NEAR(product, exact(i, j), 3e-6) << i << " " << j;
        if (places[i] != places[j]) continue;
        if (learner == Learner::svm) {
          EXPECT_TRUE(std::equal(wl.kernel.row(i), wl.kernel.row(i) + 30, wl.kernel.row(j)));
        } else {
          EXPECT_TRUE(std::equal(wl.vectors.row(i), wl.vectors.row(i) + wl.vectors.cols(), wl.vectors.row(j)));
        }
      }
    }
  }
}

// Given vectors that are mostly 0 are learnt from as sparse rows: more columns of zeros make them such and change
// nothing.
TEST(Baselines, GivenVectorsAreTheSameAsSparseRows) {
  Random random(5);
  GraphSetParts parts = random_parts({.graphs = 90, .most_nodes = 8}, 3);
  parts.targets = test::classes_of_sizes({40, 50});
  Matrix full(90, 10);
  for (std::size_t i = 0; i < full.rows(); ++i) {
    for (std::size_t k = 0; k < full.cols(); ++k) full(i, k) = random.uniform() < 0.4 ? 1 + float(i >= 40 && k < 5) : 0;
  }
  Matrix sparse(90, 44);
  for (std::size_t i = 0; i < full.rows(); ++i) std::copy_n(full.row(i), full.cols(), sparse.row(i));
  for (const Learner learner : {Learner::svm, Learner::logistic, Learner::ridge}) {
    GraphSetParts of_learner = parts;
    if (learner == Learner::ridge) {
      of_learner.targets = {};
      of_learner.targets.kind = Targets::Kind::numbers;
      of_learner.targets.columns = 1;
      for (std::size_t i = 0; i < 90; ++i) of_learner.targets.numbers.push_back(full(i, 0) + 0.3 * random.uniform());
    }
    CrossValidationOptions cv;
    cv.networks = {path({.path_length = 1, .filters = 4})};
    cv.learning.C = {1};
    cv.learning.learner = learner;
    cv.folds = 3;
    cv.given_baselines = {{"full", full}, {"sparse", sparse}};
    const std::vector<MethodResult> methods = cross_validate(GraphSet(of_learner), cv).targets[0].methods;
    const MethodResult& first = methods[methods.size() - 2];
    const MethodResult& second = methods.back();
    ASSERT_EQ(second.name, "sparse");
    for (std::size_t m = 0; m < first.metrics.size(); ++m) {
      EXPECT_NEAR(first.metrics[m].mean, second.metrics[m].mean, 1e-6) << to_string(first.metrics[m].metric);
    }
  }
}

// Equal graphs: there is nothing to learn but which class is larger, and where none is, the lowest is named. In no
// order of the file, and with no learner, may rounding do any better or worse than that.
TEST(Baselines, OfEqualGraphsAreTheMajority) {
  for (const std::vector<int>& sizes : {std::vector<int>{51, 49}, {49, 51}, {34, 33, 33}}) {
    const Targets sorted = test::classes_of_sizes(sizes);
    for (const std::uint64_t seed : {0, 1}) {
      GraphSetParts parts;
      parts.targets = sorted;
      const std::vector<std::uint32_t> order = shuffled_numbers(100, seed);
      for (std::uint32_t g = 0; g < 100; ++g) {
        parts.graph_sizes.push_back(4);
        for (std::uint32_t u = 0; u < 3; ++u) {
          parts.edge_from.push_back(4 * g + u);
          parts.edge_to.push_back(4 * g + u + 1);
        }
        if (seed > 0) parts.targets.class_of_graph[g] = sorted.class_of_graph[order[g]];
      }
      const GraphSet graphs(std::move(parts));
      for (const Learner learner : {Learner::svm, Learner::logistic}) {
        CrossValidationOptions cv;
        cv.networks = {path({.path_length = 1, .filters = 4})};
        cv.learning.C = {1};
        cv.folds = 5;
        cv.learning.learner = learner;
        const std::vector<MethodResult> methods = cross_validate(graphs, cv).targets[0].methods;
        ASSERT_EQ(methods.size(), 4U);
        for (const MethodResult& method : methods) {
          EXPECT_EQ(method.metrics[0].by_fold, methods[1].metrics[0].by_fold) << method.name << ", seed " << seed;
          for (const double area : method.metrics[2].by_fold) EXPECT_EQ(area, 0.5) << method.name << ", seed " << seed;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gckn
