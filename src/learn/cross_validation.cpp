// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/cross_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gckn/error.h"
#include "learn/one_vs_rest.h"
#include "util/parallel.h"

namespace gckn {
namespace {

void check(const GraphSet& graphs, const CrossValidationOptions& cv) {
  if (cv.networks.empty()) throw UsageError("there is no network to cross-validate");
  if (cv.C.empty()) throw UsageError("there is no value of C to try");
  for (std::size_t i = 0; i < cv.C.size(); ++i) {
    if (!(cv.C[i] > 0) || !std::isfinite(cv.C[i])) throw UsageError(fmt::format("C = {} is not positive", cv.C[i]));
    if (i > 0 && cv.C[i] <= cv.C[i - 1]) throw UsageError("the values of C must ascend");
  }
  const Targets& targets = graphs.targets();
  if (targets.kind != Targets::Kind::classes) throw InputError(fmt::format("{} has no classes", graphs.name()));
  std::vector<bool> occurs(targets.class_names.size());
  for (const std::int32_t c : targets.class_of_graph) {
    if (c >= 0) occurs[static_cast<std::size_t>(c)] = true;
  }
  if (std::count(occurs.begin(), occurs.end(), true) < 2) {
    throw InputError(fmt::format("{} has only one class: there is nothing to tell apart", graphs.name()));
  }
}

// Given folds without the graphs that have no class.
std::vector<Fold> checked(std::vector<Fold> folds, const Targets& targets) {
  const auto unlabelled = [&](std::uint32_t g) { return targets.class_of_graph[g] < 0; };
  for (Fold& fold : folds) {
    std::vector<bool> named(targets.class_of_graph.size());
    for (const std::vector<std::uint32_t>* part : {&fold.train, &fold.test}) {
      for (const std::uint32_t g : *part) {
        if (g >= named.size()) throw InputError(fmt::format("a fold names graph {} of {}", g, named.size()));
        if (named[g]) throw InputError(fmt::format("a fold names graph {} twice", g));
        named[g] = true;
      }
    }
    std::erase_if(fold.train, unlabelled);
    std::erase_if(fold.test, unlabelled);
    if (fold.train.empty() || fold.test.empty()) throw InputError("a fold has no graphs with a class");
  }
  return folds;
}

double accuracy_of(std::span<const std::int32_t> predicted, std::span<const std::uint32_t> test,
                   std::span<const std::int32_t> class_of_graph) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < test.size(); ++i) right += predicted[i] == class_of_graph[test[i]] ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(test.size());
}

double majority_accuracy(const Fold& fold, const Targets& targets) {
  std::vector<std::size_t> count(targets.class_names.size());
  for (const std::uint32_t g : fold.train) ++count[static_cast<std::size_t>(targets.class_of_graph[g])];
  const auto largest = static_cast<std::int32_t>(std::max_element(count.begin(), count.end()) - count.begin());
  const std::vector<std::int32_t> predicted(fold.test.size(), largest);
  return accuracy_of(predicted, fold.test, targets.class_of_graph);
}

// Accuracies and predictions of all folds for all C on given vectors.
struct GridRun {
  DoubleMatrix accuracy;                                          // folds x C
  std::vector<std::vector<std::vector<std::int32_t>>> predicted;  // by fold and C
};

GridRun run_grid(const Matrix& vectors, std::span<const std::int32_t> class_of_row, std::int32_t num_classes,
                 const std::vector<Fold>& folds, std::span<const double> grid) {
  GridRun run{DoubleMatrix(folds.size(), grid.size()), {}};
  run.predicted.resize(folds.size());
  parallel_for(folds.size(), [&](std::size_t f) {
    run.predicted[f] = train_and_predict(vectors, class_of_row, num_classes, folds[f].train, folds[f].test, grid);
    for (std::size_t c = 0; c < grid.size(); ++c) {
      run.accuracy(f, c) = accuracy_of(run.predicted[f][c], folds[f].test, class_of_row);
    }
  });
  return run;
}

// Index of the C with the best mean accuracy, the smallest of equals, and that mean.
std::pair<std::size_t, double> best_c(const GridRun& run) {
  std::size_t best = 0;
  double best_mean = -1;
  for (std::size_t c = 0; c < run.accuracy.cols(); ++c) {
    double mean = 0;
    for (std::size_t f = 0; f < run.accuracy.rows(); ++f) mean += run.accuracy(f, c);
    mean /= static_cast<double>(run.accuracy.rows());
    if (mean > best_mean + 1e-12) {
      best_mean = mean;
      best = c;
    }
  }
  return {best, best_mean};
}

class CrossValidation {
 public:
  CrossValidation(const GraphSet& graphs, const CrossValidationOptions& cv, const RunOptions& options)
      : graphs_(graphs),
        cv_(cv),
        options_(options),
        num_classes_(static_cast<std::int32_t>(graphs.targets().class_names.size())) {
    fit_ = cv.fit;
    fit_.seed = cv.seed;
    // Progress of whole networks and folds is what tells; the engine's own would only flicker.
    quiet_ = options;
    if (options.progress) {
      quiet_.progress = [this](const Progress&) { return options_.progress({stage_, done_, total_}); };
    }
  }

  CrossValidationResult run() {
    CrossValidationResult result;
    const std::vector<Fold>& given = cv_.given_folds.empty() ? graphs_.folds() : cv_.given_folds;
    result.folds =
        given.empty() ? stratified_folds(graphs_.targets(), cv_.folds, cv_.seed) : checked(given, graphs_.targets());
    result.optimistic = cv_.protocol == Protocol::paper;
    result.results = cv_.protocol == Protocol::paper ? paper(result.folds) : nested(result.folds);
    summarise(result);
    return result;
  }

 private:
  std::vector<FoldResult> paper(const std::vector<Fold>& folds) {
    stage_ = "networks";
    total_ = cv_.networks.size();
    std::vector<FoldResult> best(folds.size());
    double best_mean = -1;
    for (std::size_t k = 0; k < cv_.networks.size(); ++k) {
      done_ = k;
      report_progress(options_, stage_, done_, total_);
      const Matrix vectors = fit_and_embed(graphs_, cv_.networks[k], fit_, quiet_).second;
      const GridRun run = run_grid(vectors, graphs_.targets().class_of_graph, num_classes_, folds, cv_.C);
      const auto [c, mean] = best_c(run);
      if (mean <= best_mean + 1e-12) continue;
      best_mean = mean;
      for (std::size_t f = 0; f < folds.size(); ++f)
        best[f] = {k, cv_.C[c], run.accuracy(f, c), 0, run.predicted[f][c]};
    }
    report_progress(options_, stage_, total_, total_);
    return best;
  }

  std::vector<FoldResult> nested(const std::vector<Fold>& folds) {
    stage_ = "folds and networks";
    total_ = folds.size() * cv_.networks.size();
    std::vector<FoldResult> results;
    for (const Fold& fold : folds) results.push_back(nested_fold(fold, results.size()));
    report_progress(options_, stage_, total_, total_);
    return results;
  }

  // Chooses network and C by an inner cross-validation on the training graphs, then predicts the test graphs once.
  FoldResult nested_fold(const Fold& fold, std::size_t f) {
    const GraphSet training = select_graphs(graphs_, fold.train);
    const std::vector<Fold> inner = stratified_folds(training.targets(), inner_folds(training.targets()), cv_.seed + f);
    FoldResult best;
    double best_mean = -1;
    for (std::size_t k = 0; k < cv_.networks.size(); ++k) {
      done_ = f * cv_.networks.size() + k;
      report_progress(options_, stage_, done_, total_);
      const Network network = fit_network(training, cv_.networks[k], fit_, quiet_);
      // All graphs in one pass; the test graphs' rows are looked at only after the choice is made.
      const Matrix vectors = network.embed(graphs_, quiet_);
      std::vector<Fold> inner_global(inner.size());
      for (std::size_t i = 0; i < inner.size(); ++i) {
        for (const std::uint32_t g : inner[i].train) inner_global[i].train.push_back(fold.train[g]);
        for (const std::uint32_t g : inner[i].test) inner_global[i].test.push_back(fold.train[g]);
      }
      const std::vector<std::int32_t>& class_of_graph = graphs_.targets().class_of_graph;
      const auto [c, mean] = best_c(run_grid(vectors, class_of_graph, num_classes_, inner_global, cv_.C));
      if (mean <= best_mean + 1e-12) continue;
      best_mean = mean;
      best.network = k;
      best.C = cv_.C[c];
      best.predicted =
          train_and_predict(vectors, class_of_graph, num_classes_, fold.train, fold.test, {&best.C, 1}).front();
    }
    best.accuracy = accuracy_of(best.predicted, fold.test, graphs_.targets().class_of_graph);
    return best;
  }

  // As many as asked for, fewer where a class is small.
  [[nodiscard]] int inner_folds(const Targets& targets) const {
    std::vector<int> count(targets.class_names.size());
    for (const std::int32_t c : targets.class_of_graph) ++count[static_cast<std::size_t>(c)];
    int fewest = cv_.inner_folds;
    for (const int members : count) {
      if (members > 0) fewest = std::min(fewest, members);
    }
    if (fewest < 2) throw InputError("a class has only one graph among the training graphs of a fold");
    return fewest;
  }

  void summarise(CrossValidationResult& result) const {
    const auto n = static_cast<double>(result.results.size());
    double right = 0;
    double tested = 0;
    for (std::size_t f = 0; f < result.results.size(); ++f) {
      FoldResult& fold = result.results[f];
      fold.majority_accuracy = majority_accuracy(result.folds[f], graphs_.targets());
      result.mean += fold.accuracy / n;
      result.majority += fold.majority_accuracy / n;
      right += fold.accuracy * static_cast<double>(result.folds[f].test.size());
      tested += static_cast<double>(result.folds[f].test.size());
    }
    for (const FoldResult& fold : result.results) {
      result.deviation += (fold.accuracy - result.mean) * (fold.accuracy - result.mean) / std::max(n - 1, 1.0);
    }
    result.deviation = std::sqrt(result.deviation);
    // Wilson's score interval for `right` of `tested`.
    constexpr double z = 1.959963984540054;
    const double p = right / tested;
    const double centre = (p + z * z / (2 * tested)) / (1 + z * z / tested);
    const double half = z / (1 + z * z / tested) * std::sqrt(p * (1 - p) / tested + z * z / (4 * tested * tested));
    result.low = centre - half;
    result.high = centre + half;
  }

  const GraphSet& graphs_;
  const CrossValidationOptions& cv_;
  const RunOptions& options_;
  RunOptions quiet_;
  FitOptions fit_;
  const std::int32_t num_classes_;
  const char* stage_ = "";
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

std::vector<double> CrossValidationOptions::default_c_grid() {
  constexpr int kValues = 60;
  std::vector<double> grid;
  for (int i = 0; i < kValues; ++i) grid.push_back(std::pow(10.0, -4.0 + 8.0 * i / (kValues - 1)));
  return grid;
}

CrossValidationResult cross_validate(const GraphSet& graphs, const CrossValidationOptions& cv,
                                     const RunOptions& options) {
  check(graphs, cv);
  const ThreadScope threads(options);
  return CrossValidation(graphs, cv, options).run();
}

}  // namespace gckn
