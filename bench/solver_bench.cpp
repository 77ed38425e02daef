// SPDX-License-Identifier: BSD-3-Clause
// Time of the support vector machine on graph vectors: ten folds times sixty values of C, as `gckn cv` runs it.
//
//   gckn_solver_bench NCI1.zip                        640 columns
//   gckn_solver_bench NCI1.zip --filters 512 --path-length 7
//   gckn_solver_bench NCI1.zip --export DIR           writes what bench/compare_sklearn compares with
//
// The export is vectors.npy (graphs x columns), problem.json (classes, folds, grid), and of the first fold train.npy
// and test.npy (standardised, without near-constant columns, with a last column of ones), weights.npy (one row per C
// and output, outputs within C) and solutions.json.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../cli/model_options.h"
#include "gckn/gckn.h"
#include "learn/evaluate.h"
#include "learn/linear_model.h"
#include "learn/splits.h"
#include "learn/squared_hinge.h"
#include "learn/standardise.h"
#include "linalg/vector_ops.h"
#include "measure.h"
#include "util/parallel.h"

namespace gckn::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string data;
  cli::ModelOptions network;
  int threads = 2;
  int repeat = 3;
  std::uint64_t seed = 0;
  std::string export_folder;
};

// One fold as the solver sees it, with its solutions by output (one, or one per class) and C.
struct SolvedFold {
  DoubleMatrix train;
  DoubleMatrix test;
  std::vector<std::vector<SquaredHingeSolution>> solutions;
};

SolvedFold solve(const Matrix& vectors, const TargetColumn& target, const Fold& fold, const std::vector<double>& grid) {
  const Standardiser standardiser(vectors, fold.train);
  SolvedFold solved{standardiser.apply(vectors, fold.train), standardiser.apply(vectors, fold.test), {}};
  const std::size_t outputs = num_outputs(target);
  const std::int32_t first_class = outputs == 1 ? 1 : 0;
  for (std::size_t o = 0; o < outputs; ++o) {
    SquaredHingeProblem problem;
    problem.rows = &solved.train;
    for (const std::uint32_t g : fold.train) {
      problem.labels.push_back(target.class_of_graph[g] == first_class + static_cast<std::int32_t>(o) ? 1.0 : -1.0);
    }
    solved.solutions.push_back(solve_squared_hinge(problem, grid));
  }
  return solved;
}

// Wall clock, and the processors' time of all threads, which other programs on the machine disturb less.
struct Seconds {
  double wall = 0;
  double processor = 0;
};

// The run with the median time.
Seconds median_seconds(int repeat, const std::function<void()>& body) {
  std::vector<Seconds> runs;
  for (int i = 0; i < repeat; ++i) {
    const Clock::time_point begin = Clock::now();
    const std::clock_t processor = std::clock();
    body();
    runs.push_back({seconds_since(begin), static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC});
  }
  std::ranges::sort(runs, {}, &Seconds::wall);
  return runs[runs.size() / 2];
}

void print_steps(const std::vector<SolvedFold>& folds) {
  int steps = 0;
  int most = 0;
  std::size_t solves = 0;
  std::size_t unconverged = 0;
  for (const SolvedFold& fold : folds) {
    for (const std::vector<SquaredHingeSolution>& output : fold.solutions) {
      for (const SquaredHingeSolution& solution : output) {
        steps += solution.steps;
        most = std::max(most, solution.steps);
        unconverged += solution.converged ? 0 : 1;
      }
      solves += output.size();
    }
  }
  fmt::print("{} solutions took {} Newton steps ({:.1f} each, {} at most); {} did not converge\n", solves, steps,
             static_cast<double>(steps) / static_cast<double>(solves), most, unconverged);
}

double accuracy(const DoubleMatrix& test, const DoubleMatrix& weights, const TargetColumn& target, const Fold& fold) {
  DoubleMatrix scores(test.rows(), weights.rows());
  for (std::size_t i = 0; i < test.rows(); ++i) {
    for (std::size_t o = 0; o < weights.rows(); ++o) scores(i, o) = dot(test.row(i), weights.row(o), test.cols());
  }
  const std::vector<std::int32_t> predicted = classes_of_scores(scores);
  std::size_t right = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == target.class_of_graph[fold.test[i]];
  return static_cast<double>(right) / static_cast<double>(predicted.size());
}

void export_all(const std::filesystem::path& folder, const Matrix& vectors, const Experiment& experiment,
                const std::vector<Fold>& folds, const SolvedFold& first, const Seconds& seconds) {
  std::filesystem::create_directories(folder);
  const TargetColumn& target = experiment.targets.front();
  const std::vector<double>& grid = experiment.learning.C;
  Json problem{{"classes", target.class_of_graph},
               {"C", grid},
               {"seconds", seconds.wall},
               {"processor_seconds", seconds.processor}};
  for (const Fold& fold : folds) problem["folds"].push_back({{"train", fold.train}, {"test", fold.test}});
  const std::size_t outputs = first.solutions.size();
  DoubleMatrix all_weights(grid.size() * outputs, first.train.cols());
  Json solutions = Json::array();
  for (std::size_t c = 0; c < grid.size(); ++c) {
    DoubleMatrix weights(outputs, first.train.cols());
    double objective = 0;
    int steps = 0;
    bool converged = true;
    for (std::size_t o = 0; o < outputs; ++o) {
      const SquaredHingeSolution& solution = first.solutions[o][c];
      std::ranges::copy(solution.w, weights.row(o));
      std::ranges::copy(solution.w, all_weights.row(c * outputs + o));
      objective += solution.objective;
      steps += solution.steps;
      converged = converged && solution.converged;
    }
    solutions.push_back({{"C", grid[c]},
                         {"objective", objective},
                         {"accuracy", accuracy(first.test, weights, target, folds.front())},
                         {"norm", std::sqrt(dot(weights.data(), weights.data(), weights.size()))},
                         {"steps", steps},
                         {"converged", converged}});
  }
  write_npy(vectors, folder / "vectors.npy");
  write_npy(first.train, folder / "train.npy");
  write_npy(first.test, folder / "test.npy");
  write_npy(all_weights, folder / "weights.npy");
  write_text(problem.dump(), folder / "problem.json");
  write_text(solutions.dump(1), folder / "solutions.json");
}

void run(const Options& options) {
  const ProductSpeed speed = product_speed<double>();
  fmt::print("dgemm on one core: OpenBLAS {:.0f} GFLOP/s, gckn {:.0f} GFLOP/s; {} cores, {} threads\n", speed.blas,
             speed.ours, sysconf(_SC_NPROCESSORS_ONLN), options.threads);
  const GraphSet graphs = read_graphs(options.data);
  LearningOptions learning;
  learning.learner = Learner::svm;
  const Experiment experiment = make_experiment(graphs, learning);
  if (experiment.targets.size() != 1) throw UsageError("a set with one column of classes is needed");
  RunOptions run_options;
  run_options.threads = options.threads;
  FitOptions fit;
  fit.seed = options.seed;
  const Matrix vectors = fit_and_embed(graphs, cli::network_config(options.network), fit, run_options).second;
  const std::vector<Fold> folds =
      graphs.folds().empty() ? make_folds(experiment.targets,
                                          graphs_with_target(experiment.targets, graphs.num_graphs()), 10, options.seed)
                             : check_folds(graphs.folds(), experiment.targets, graphs.num_graphs());

  const ThreadScope threads(run_options);
  Evaluation evaluation;
  const Seconds seconds =
      median_seconds(options.repeat, [&] { evaluation = evaluate(vectors, experiment, folds, folds, run_options); });
  std::vector<SolvedFold> solved(folds.size());
  parallel_for(folds.size(), [&](std::size_t f) {
    solved[f] = solve(vectors, experiment.targets.front(), folds[f], experiment.learning.C);
    if (f == 0) return;
    solved[f].train = {};  // of no use, and large
    solved[f].test = {};
  });
  fmt::print("{}: {} graphs, {} columns of which {} vary, {} folds, {} values of C\n", options.data,
             graphs.num_graphs(), vectors.cols(), solved.front().train.cols() - 1, folds.size(),
             experiment.learning.C.size());
  fmt::print("{:.3f} seconds (median of {}), {:.3f} of processor; peak memory {:.0f} MB\n", seconds.wall,
             options.repeat, seconds.processor, peak_megabytes());
  fmt::print("best mean accuracy {:.2f} % at C = {:.3g}\n", 100 * evaluation.score, evaluation.C.front());
  print_steps(solved);
  if (!options.export_folder.empty()) {
    export_all(options.export_folder, vectors, experiment, folds, solved.front(), seconds);
  }
}

}  // namespace
}  // namespace gckn::bench

int main(int argc, char** argv) {
  gckn::bench::Options options;
  options.network.path_length = {4};
  CLI::App app{"Time of ten folds times sixty values of C of the support vector machine"};
  app.add_option("DATA", options.data, "Graphs, as gckn reads them")->required();
  gckn::cli::add_model_options(app, options.network, false);
  app.add_option("--threads", options.threads, "Threads to use")->capture_default_str();
  app.add_option("--repeat", options.repeat, "Runs; the median counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of the anchors and of the folds")->capture_default_str();
  app.add_option("--export", options.export_folder, "Write vectors, folds and solutions to this folder");
  CLI11_PARSE(app, argc, argv);
  try {
    gckn::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gckn_solver_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
