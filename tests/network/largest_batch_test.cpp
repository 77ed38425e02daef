// SPDX-License-Identifier: BSD-3-Clause
#include "network/largest_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <set>

#include "network/encoding.h"
#include "support/random_networks.h"

namespace gckn {
namespace {

// Sizes and places of all arrays of a batch.
struct Arrays {
  std::vector<std::size_t> sizes;
  std::vector<const void*> places;
};

Arrays arrays_of(const Batch<float>& batch) {
  Arrays arrays;
  const auto add = [&](const auto& list) {
    arrays.sizes.push_back(list.size());
    arrays.places.push_back(list.data());
  };
  add(batch.input_colours);
  for (const BatchLayer<float>& layer : batch.layers) {
    arrays.sizes.push_back(layer.num_colours);
    for (std::size_t t = 0; t < layer.levels.size(); ++t) {
      add(layer.levels[t].parent);
      add(layer.levels[t].colour);
      add(layer.levels[t].edge);
      add(layer.start[t]);
    }
    for (const BatchOutput<float>& output : layer.outputs) {
      arrays.sizes.push_back(output.num_states);
      for (const SparseRows<float>* rows : {&output.states, &output.graphs}) {
        add(rows->begin);
        add(rows->index);
        add(rows->weight);
      }
    }
  }
  return arrays;
}

TEST(LargestBatch, NoBatchIsLargerAndNoneMovesWhatIsReserved) {
  Random random(11);
  int tried = 0;
  for (std::uint64_t seed = 0; tried < 40; ++seed) {
    ASSERT_LT(seed, 400U);
    const RandomGraphs shape = random_shape(random);
    NetworkConfig config = random_config(random, shape);
    const GraphSet graphs = random_graphs(shape, seed);
    std::unique_ptr<BatchSource> source;
    try {
      const Network network = fit_network(graphs, config);
      RunOptions options;
      options.evaluator = Evaluator::shared;
      auto set = std::make_shared<const EncodedSet>(encode(graphs, {0, graphs.num_graphs()}, network.input()));
      CompiledSet compiled = compile_layers(std::move(set), network.config(), network.input(), options);
      source = std::make_unique<BatchSource>(std::move(compiled), network.config(), network.input());
    } catch (const std::exception&) {
      continue;  // no path of the full length, or generalised max pooling
    }
    ++tried;
    const std::size_t most = 1 + random.below(5);
    BatchMaker<float> maker(*source);
    LargestBatch<float> even(most);
    LargestBatch<float> odd(most);
    for (std::uint32_t g = 0; g < graphs.num_graphs(); ++g) (g % 2 == 0 ? even : odd).see(maker.make({&g, 1}));
    even.add(odd);
    const Batch<float> largest = even.batch();
    EXPECT_EQ(largest.num_graphs, std::min(most, graphs.num_graphs()));
    const Arrays bound = arrays_of(largest);
    BatchMaker<float> reserved(*source);
    reserved.reserve(largest);
    std::set<std::vector<const void*>> places;
    for (int batch = 0; batch < 20; ++batch) {
      std::vector<std::uint32_t> some = shuffled_numbers(graphs.num_graphs(), random.below(1000));
      some.resize(std::min<std::size_t>(some.size(), 1 + random.below(most)));
      const Arrays arrays = arrays_of(reserved.make(some));
      places.insert(arrays.places);
      ASSERT_EQ(arrays.sizes.size(), bound.sizes.size());
      for (std::size_t i = 0; i < bound.sizes.size(); ++i) ASSERT_LE(arrays.sizes[i], bound.sizes[i]) << i;
    }
    EXPECT_EQ(places.size(), 1U);
  }
}

}  // namespace
}  // namespace gckn
