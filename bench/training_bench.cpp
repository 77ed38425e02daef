// SPDX-License-Identifier: BSD-3-Clause
// Time of an epoch of end-to-end training, and the allocations in it. Where the time goes is told by
// valgrind --tool=callgrind, with --threads 1.
//
//   gckn_training_bench NCI1.zip [--path-length 3] [--filters 32] [--features attributes] ...
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "../cli/model_options.h"
#include "count_allocations.h"
#include "gckn/gckn.h"
#include "learn/supervised_training.h"
#include "linalg/single_threaded_blas.h"
#include "measure.h"
#include "util/parallel.h"

namespace gckn::bench {
namespace {

struct Options {
  std::string data;
  cli::ModelOptions network;
  int epochs = 7;
  int batch_size = 32;
  int threads = 0;
};

int run(const Options& options) {
  const ProductSpeed speed = product_speed<float>();
  fmt::print("calibration: sgemm {:.1f} GFLOP/s on one core (OpenBLAS), {:.1f} (ours)\n", speed.blas, speed.ours);
  const GraphSet graphs = read_graphs(options.data);
  const NetworkConfig config = cli::network_config(options.network);
  RunOptions run_options;
  run_options.threads = options.threads;
  const ThreadScope threads(run_options);
  Clock::time_point begin = Clock::now();
  SharedPatterns patterns(graphs);
  const CompiledSet compiled = patterns.compile(config, run_options);
  AnchorStore<float> anchors;
  const FittedNetwork fitted = fit_on_and_embed(graphs, config, {}, compiled, {}, anchors, run_options);
  fmt::print("k-means and vectors: {:.3f} s\n", seconds_since(begin));
  LearningOptions learning;
  const Experiment experiment = make_experiment(graphs, learning);
  SupervisedTraining::Setup setup;
  setup.experiment = &experiment;
  setup.options.batch_size = options.batch_size;
  setup.penalty = setup.options.penalties.front();
  setup.train.resize(graphs.num_graphs());
  std::iota(setup.train.begin(), setup.train.end(), 0U);
  begin = Clock::now();
  const CompiledSet shared = patterns.compile_for_training(config, run_options);
  fmt::print("compiling for training: {:.3f} s\n", seconds_since(begin));
  begin = Clock::now();
  SupervisedTraining training(setup, fitted, shared);
  training.fit_linear_models(fitted.vectors, run_options);
  fmt::print("linear model: {:.3f} s\n", seconds_since(begin));
  const SingleThreadedBlas one_thread;
  std::vector<double> seconds;
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    begin = Clock::now();
    const std::uint64_t before = num_allocations();
    const EpochRecord record = training.run_epoch(run_options);
    const std::uint64_t after = num_allocations();
    seconds.push_back(seconds_since(begin));
    fmt::print("epoch {}: {:.4f} s, loss {:.5f}, {} allocations\n", epoch, seconds.back(), record.loss, after - before);
  }
  std::ranges::sort(seconds);
  fmt::print("median {:.4f} s, least {:.4f} s; peak memory {:.0f} MB\n", seconds[seconds.size() / 2], seconds.front(),
             peak_megabytes());
  return 0;
}

}  // namespace
}  // namespace gckn::bench

int main(int argc, char** argv) {
  gckn::bench::Options options;
  options.network.path_length = {3};
  options.network.filters = {32};
  CLI::App app("Time of an epoch of end-to-end training");
  app.add_option("data", options.data, "A graph set with classes")->required();
  app.add_option("--epochs", options.epochs, "Epochs to run")->capture_default_str();
  app.add_option("--batch-size", options.batch_size, "Graphs per step")->capture_default_str();
  app.add_option("--threads", options.threads, "Threads; 0: all cores")->capture_default_str();
  gckn::cli::add_model_options(app, options.network, false);
  CLI11_PARSE(app, argc, argv);
  try {
    return gckn::bench::run(options);
  } catch (const std::exception& error) {
    std::fputs(fmt::format("error: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
}
