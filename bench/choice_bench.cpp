// SPDX-License-Identifier: BSD-3-Clause
// How far the choice between shared and direct evaluation is from the better of the two: processor time of embedding on
// one thread, with the choice left to the engine and with each way forced.
//
//   gckn_choice_bench DATASETS_DIR
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gckn/gckn.h"
#include "measure.h"

namespace gckn::bench {
namespace {

struct Set {
  const char* file;
  Features features;
};

constexpr std::array kSets{
    Set{"MUTAG.zip", Features::labels},       Set{"PTC_MR.zip", Features::labels},
    Set{"NCI1.zip", Features::labels},        Set{"Mutagenicity.zip", Features::labels},
    Set{"PROTEINS.zip", Features::labels},    Set{"IMDB-BINARY.zip", Features::degree},
    Set{"IMDB-MULTI.zip", Features::degree},  Set{"gin/COLLAB.zip", Features::degree},
    Set{"BZR.zip", Features::attributes},     Set{"COX2.zip", Features::attributes},
    Set{"ENZYMES.zip", Features::attributes}, Set{"PROTEINS_full.zip", Features::attributes},
};

constexpr int kRuns = 5;
constexpr double kMostSeconds = 10;     // an evaluation that takes longer is given up
constexpr double kLongEnough = 3;       // for the choice; longer paths are not tried then
constexpr double kLeastSeconds = 0.02;  // less is noise
constexpr std::array kLengths{1, 2, 3, 4, 5, 6, 8};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Processor seconds by evaluator, each the least of its runs, which take turns; infinite if one takes too long or is
// refused.
constexpr std::array kEvaluators{Evaluator::automatic, Evaluator::shared, Evaluator::direct};
using Seconds = std::array<double, kEvaluators.size()>;

double embedding_seconds(const Network& network, const GraphSet& graphs, Evaluator evaluator) {
  const double begin = processor_seconds();
  RunOptions options;
  options.threads = 1;
  options.evaluator = evaluator;
  options.progress = [&](const Progress&) { return processor_seconds() - begin < kMostSeconds; };
  try {
    static_cast<void>(network.embed(graphs, options));
  } catch (const Cancelled&) {
    return std::numeric_limits<double>::infinity();
  } catch (const LimitError&) {
    return std::numeric_limits<double>::infinity();
  }
  return processor_seconds() - begin;
}

Seconds least_seconds(const Network& network, const GraphSet& graphs) {
  Seconds least;
  least.fill(std::numeric_limits<double>::infinity());
  for (int run = 0; run < kRuns; ++run) {
    for (std::size_t i = 0; i < least.size(); ++i) {
      if (run > 0 && least[i] > kLongEnough) continue;
      least[i] = std::min(least[i], embedding_seconds(network, graphs, kEvaluators[i]));
    }
  }
  return least;
}

std::string shown(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.3f}", seconds) : "–";
}

// Returns the worst ratio of those that can be measured.
double measure_set(const Set& set, const std::filesystem::path& folder, const std::string& kind) {
  const GraphSet graphs = read_graphs(folder / set.file);
  double worst = 0;
  for (const int length : kLengths) {
    const Architecture arch{.path_length = length, .filters = 128, .sigma = 0.6, .pooling = Pooling::mean};
    NetworkConfig config = kind == "subtree" ? subtree(arch) : path(arch);
    config.features = set.features;
    FitOptions fit;
    fit.max_iterations = 2;
    std::optional<Network> network;
    try {
      network = fit_network(graphs, config, fit);
    } catch (const InputError&) {
      break;  // too many paths, or none
    }
    const auto [chosen, shared, direct] = least_seconds(*network, graphs);
    if (!std::isfinite(chosen)) break;
    const double better = std::min({shared, direct, kMostSeconds});
    fmt::print("| {} | {} {} | {} | {} | {} | {:.2f} |\n", graphs.name(), kind, length, shown(chosen), shown(shared),
               shown(direct), chosen / better);
    std::fflush(stdout);
    if (chosen >= kLeastSeconds) worst = std::max(worst, chosen / better);
    if (chosen > kLongEnough) break;
  }
  return worst;
}

}  // namespace
}  // namespace gckn::bench

int main(int argc, char** argv) {
  using namespace gckn::bench;
  CLI::App app{"The choice between shared and direct evaluation against both forced"};
  std::string folder;
  std::string only;
  app.add_option("--set", only, "Only this file");
  app.add_option("DATASETS_DIR", folder, "Folder with NCI1.zip, PROTEINS.zip, ..., gin/COLLAB.zip")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    const ProductSpeed speed = product_speed<float>();
    fmt::print("sgemm on one core: OpenBLAS {:.0f} GFLOP/s, gckn {:.0f} GFLOP/s\n\n", speed.blas, speed.ours);
    fmt::print("| set | network, k | chosen | shared | direct | chosen / better |\n|---|---|---|---|---|---|\n");
    double worst = 0;
    for (const Set& set : kSets) {
      if (!only.empty() && only != set.file) continue;
      for (const char* kind : {"path", "subtree"}) worst = std::max(worst, measure_set(set, folder, kind));
    }
    fmt::print("\nWhere it took {} s or more, the choice took at most {:.2f} times the better of the two.\n",
               kLeastSeconds, worst);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gckn_choice_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
