// SPDX-License-Identifier: BSD-3-Clause
// Paths, distinct sequences and distinct node states of public benchmark sets, counted by others.
#include <gtest/gtest.h>

#include <numeric>
#include <ostream>

#include "gckn/io.h"
#include "network/compiled_set.h"
#include "pattern/patterns.h"
#include "support/files.h"

namespace gckn {
namespace {

struct Counts {
  const char* file;
  Features features;
  int vertices;
  std::uint64_t paths;
  std::uint64_t sequences;
  std::uint32_t states;
};

// The set is the test's name.
void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.file;
}

class BenchmarkCounts : public testing::TestWithParam<Counts> {};

TEST_P(BenchmarkCounts, AreReproduced) {
  const Counts& expected = GetParam();
  GCKN_SKIP_WITHOUT_DATASETS();
  const GraphSet graphs = read_graphs(test::datasets_dir() / expected.file);
  NetworkConfig config;
  config.features = expected.features;
  const EncodedSet set = encode(graphs, {0, graphs.num_graphs()}, fit_encoding(graphs, config));
  RunOptions options;
  options.evaluator = Evaluator::shared;
  const Patterns patterns = compile_patterns(
      *set.graph, set.colours, {.vertices = expected.vertices, .all_lengths = false, .histograms = true}, options);
  ASSERT_TRUE(patterns.direct_graphs.empty());
  const std::vector<double> totals = pattern_totals(patterns, *set.graph);
  EXPECT_EQ(std::accumulate(totals.begin(), totals.end(), 0.0), static_cast<double>(expected.paths));
  EXPECT_EQ(patterns.levels.back().size(), expected.sequences);
  EXPECT_EQ(patterns.states.back().count, expected.states);
}

INSTANTIATE_TEST_SUITE_P(Sets, BenchmarkCounts,
                         testing::Values(Counts{"MUTAG.zip", Features::labels, 5, 20'706, 78, 409},
                                         Counts{"NCI1.zip", Features::labels, 6, 906'146, 1'785, 35'163},
                                         Counts{"PROTEINS.zip", Features::labels, 6, 9'998'472, 729, 37'204},
                                         Counts{"IMDB-BINARY.zip", Features::degree, 3, 2'782'108, 36'991, 3'595}));

}  // namespace
}  // namespace gckn
