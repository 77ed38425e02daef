// SPDX-License-Identifier: BSD-3-Clause
// All evaluators on public benchmark sets: to 1e-3 in float, to 1e-9 in double.
#include <gtest/gtest.h>

#include <ostream>

#include "gckn/io.h"
#include "gckn/network.h"
#include "support/files.h"
#include "support/relative_difference.h"

namespace gckn {
namespace {

struct Set {
  const char* file;
  Features features;
  int path_length;
};

// The set is the test's name.
void PrintTo(const Set& set, std::ostream* out) {
  *out << set.file;
}

class BenchmarkAgreement : public testing::TestWithParam<Set> {
 protected:
  template <typename Real>
  void check(double tolerance) {
    GCKN_SKIP_WITHOUT_DATASETS();
    const GraphSet graphs = read_graphs(test::datasets_dir() / GetParam().file);
    NetworkConfig config = subtree({.path_length = GetParam().path_length, .filters = 32, .sigma = 0.6});
    config.features = GetParam().features;
    FitOptions fit;
    fit.max_iterations = 5;
    const auto network = fit_network<Real>(graphs, config, fit);
    RunOptions options;
    options.evaluator = Evaluator::plain;
    const BasicMatrix<Real> expected = network.embed(graphs, options);
    for (const Evaluator evaluator : {Evaluator::automatic, Evaluator::shared, Evaluator::direct}) {
      options.evaluator = evaluator;
      EXPECT_LT(test::relative_difference(network.embed(graphs, options), expected), tolerance)
          << "evaluator " << static_cast<int>(evaluator);
    }
  }
};

TEST_P(BenchmarkAgreement, InFloat) {
  check<float>(1e-3);
}
TEST_P(BenchmarkAgreement, InDouble) {
  check<double>(1e-9);
}

INSTANTIATE_TEST_SUITE_P(Sets, BenchmarkAgreement,
                         testing::Values(Set{"MUTAG.zip", Features::labels, 4}, Set{"PTC_MR.zip", Features::labels, 3},
                                         Set{"ENZYMES.zip", Features::attributes, 2},
                                         Set{"BZR.zip", Features::labels_and_attributes, 2},
                                         Set{"IMDB-MULTI.zip", Features::degree, 1}));

}  // namespace
}  // namespace gckn
