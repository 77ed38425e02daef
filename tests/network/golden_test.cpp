// SPDX-License-Identifier: BSD-3-Clause
// Golden cases: inputs and outputs of an independent numpy implementation, checked against the authors' code.
#include <gtest/gtest.h>

#include "gckn/kernels.h"
#include "gckn/network.h"
#include "support/golden.h"
#include "support/random_graphs.h"
#include "support/relative_difference.h"

namespace gckn {
namespace {

using nlohmann::json;
using test::graphs_of;
using test::Input;
using test::load_golden;
using test::matrix_of;
using test::network_of;
using test::relative_difference;

class Golden : public testing::TestWithParam<std::string> {
 protected:
  template <typename Real>
  void check_vectors(double tolerance) {
    const json golden = load_golden(GetParam());
    const GraphSet graphs = graphs_of(golden);
    const DoubleMatrix expected = matrix_of(golden["expected"]["graph_vectors"]);
    for (const Input input : {Input::attributes, Input::labels}) {
      if (input == Input::labels && !graphs.has_node_labels()) continue;
      const BasicNetwork<Real> network = network_of<Real>(golden, input);
      for (const Evaluator evaluator : kAllEvaluators) {
        RunOptions options;
        options.evaluator = evaluator;
        EXPECT_LT(relative_difference(network.embed(graphs, options), expected), tolerance)
            << "evaluator " << static_cast<int>(evaluator) << ", input " << static_cast<int>(input);
      }
    }
  }
};

TEST_P(Golden, GraphVectorsInDouble) {
  check_vectors<double>(1e-10);
}
TEST_P(Golden, GraphVectorsInFloat) {
  check_vectors<float>(1e-5);
}

TEST_P(Golden, NodeMapsInDouble) {
  const json golden = load_golden(GetParam());
  const GraphSet graphs = graphs_of(golden);
  const BasicNetwork<double> network = network_of<double>(golden, Input::attributes);
  // expected.node_maps: for the first one or two graphs psi_1 .. psi_J, each n x blocks x width.
  const json& maps = golden["expected"]["node_maps"];
  ASSERT_GT(maps.size(), 0U);
  ASSERT_LE(maps.size(), graphs.num_graphs());
  for (std::size_t j = 0; j < network.layers().size(); ++j) {
    json rows = json::array();
    for (const json& of_graph : maps) {
      for (const json& node : of_graph[j]) {
        json row = json::array();
        for (const json& block : node) row.insert(row.end(), block.begin(), block.end());
        rows.push_back(row);
      }
    }
    for (const Evaluator evaluator : kAllEvaluators) {
      RunOptions options;
      options.evaluator = evaluator;
      const DoubleMatrix all = network.embed_nodes(graphs, j, options);
      DoubleMatrix first(rows.size(), all.cols());
      std::copy_n(all.data(), first.size(), first.data());
      EXPECT_LT(relative_difference(first, matrix_of(rows)), 1e-10) << "layer " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden,
                         testing::Values("continuous-any-norm-subtree.json", "continuous-unit-path.json",
                                         "dense-subtree.json", "edge-labels-path.json", "edge-labels-subtree.json",
                                         "empty-and-single-node.json", "generalised-max-subtree.json",
                                         "path-mean-all-lengths.json", "path-sum-one-length.json",
                                         "subtree-max-max.json", "subtree-sum-all-lengths.json",
                                         "three-layer-all-lengths.json", "three-layer-one-length.json",
                                         "walk-sum-all-lengths.json"),
                         [](const auto& golden) {
                           std::string name = golden.param.substr(0, golden.param.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The file names lengths by vertices and WL kernels by rounds.
TEST(GoldenKernels, AllMatrices) {
  const json golden = load_golden("exact-kernels.json");
  const GraphSet graphs = graphs_of(golden);
  const auto check = [&](const char* key, ExactKernel kernel, int vertices_of_zero) {
    for (const auto& [size, expected] : golden.at(key).items()) {
      KernelOptions options;
      options.kernel = kernel;
      options.path_length = std::stoi(size) - vertices_of_zero;
      options.features = Features::labels;
      EXPECT_LT(relative_difference(kernel_matrix(graphs, options), matrix_of(expected)), 1e-12) << key << " " << size;
    }
  };
  check("delta_path", ExactKernel::path, 1);
  check("delta_walk", ExactKernel::walk, 1);
  check("wl_subtree", ExactKernel::wl_subtree, 0);
  check("gaussian_path_sigma_0.6", ExactKernel::gaussian_path, 1);
  check("gaussian_walk_sigma_0.6", ExactKernel::gaussian_walk, 1);
}

TEST(GoldenKernels, SummedIsTheSumOverLengths) {
  const json golden = load_golden("exact-kernels.json");
  const GraphSet graphs = graphs_of(golden);
  for (const auto& [key, kernel] : {std::pair{"delta_path", ExactKernel::path}, {"delta_walk", ExactKernel::walk}}) {
    KernelOptions options;
    options.kernel = kernel;
    options.path_length = 3;
    options.summed = true;
    options.features = Features::labels;
    const DoubleMatrix actual = kernel_matrix(graphs, options);
    for (std::size_t i = 0; i < actual.rows(); ++i) {
      for (std::size_t j = 0; j < actual.cols(); ++j) {
        double expected = 0;
        for (const char* size : {"1", "2", "3", "4"}) expected += golden[key][size][i][j].get<double>();
        EXPECT_EQ(actual(i, j), expected);
      }
    }
  }
}

}  // namespace
}  // namespace gckn
