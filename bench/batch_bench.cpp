// SPDX-License-Identifier: BSD-3-Clause
// Time of making mini-batches from a compiled set (network/batch.h), beside that of evaluating them.
//
//   gckn_batch_bench NCI1.zip --arch subtree --path-length 4
//   gckn_batch_bench NCI1.zip --arch subtree --path-length 4 --copies 10     the same graphs in a set ten times as
//   large
//
// Medians over batches of random graphs, on one thread.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "../cli/model_options.h"
#include "gckn/gckn.h"
#include "measure.h"
#include "network/batch.h"
#include "network/forward_pass.h"
#include "util/parallel.h"
#include "util/random.h"

namespace gckn::bench {
namespace {

struct Options {
  std::string data;
  cli::ModelOptions network;
  std::uint32_t batch = 32;
  std::uint32_t copies = 1;
  int batches = 200;
};

GraphSet repeated(const GraphSet& graphs, std::uint32_t copies) {
  std::vector<std::uint32_t> members(graphs.num_graphs() * copies);
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = static_cast<std::uint32_t>(i % graphs.num_graphs());
  return select_graphs(graphs, members);
}

Matrix evaluate(const Network& network, const std::vector<LayerOperator<float>>& layers, const CompiledSet& compiled,
                const RunOptions& options) {
  ForwardPass<float> pass(compiled, network.input(), options);
  auto vectors = Matrix::uninitialised(compiled.graph().num_graphs(), network.vector_size());
  std::size_t column = 0;
  for (std::size_t j = 0; j < layers.size(); ++j) {
    column = pass.apply(layers[j], plan_layer(network.config(), j, network.input()), network.config().global_pooling,
                        vectors, 0, column);
  }
  return vectors;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

void run(const Options& of) {
  RunOptions options;
  options.threads = 1;
  const GraphSet graphs = read_graphs(of.data);
  const Network network = fit_network(graphs, cli::network_config(of.network), {}, options);
  std::vector<LayerOperator<float>> layers;
  for (const BasicLayer<float>& layer : network.layers()) layers.emplace_back(layer);

  const ThreadScope one_thread(options);
  const GraphSet all = repeated(graphs, of.copies);
  Clock::time_point begin = Clock::now();
  auto set = std::make_shared<const EncodedSet>(encode(all, {0, all.num_graphs()}, network.input()));
  const CompiledSet compiled = compile_layers(std::move(set), network.config(), network.input(), options);
  const double compiling = seconds_since(begin);

  Random random(0);
  std::vector<std::uint32_t> order(all.num_graphs());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t size = std::min<std::size_t>(of.batch, order.size());
  std::vector<double> selecting;
  std::vector<double> evaluating;
  for (int i = 0; i < of.batches; ++i) {
    for (std::size_t k = 0; k < size; ++k) std::swap(order[k], order[k + random.below(order.size() - k)]);
    begin = Clock::now();
    const CompiledSet batch = select_graphs(compiled, std::span(order).first(size));
    selecting.push_back(seconds_since(begin));
    begin = Clock::now();
    (void)evaluate(network, layers, batch, options);
    evaluating.push_back(seconds_since(begin));
  }
  fmt::print("{} graphs compiled in {:.3f} s; a batch of {} selected in {:.3f} ms, evaluated in {:.3f} ms\n",
             all.num_graphs(), compiling, size, 1e3 * median(selecting), 1e3 * median(evaluating));
}

}  // namespace
}  // namespace gckn::bench

int main(int argc, char** argv) {
  gckn::bench::Options options;
  CLI::App app{"Time of making and evaluating mini-batches"};
  app.add_option("data", options.data, "Graphs")->required();
  gckn::cli::add_model_options(app, options.network, false);
  app.add_option("--batch", options.batch, "Graphs in a batch")->capture_default_str();
  app.add_option("--copies", options.copies, "How often the set holds its graphs")->capture_default_str();
  app.add_option("--batches", options.batches, "Batches to take the median of")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    gckn::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gckn_batch_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
