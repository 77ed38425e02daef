// SPDX-License-Identifier: BSD-3-Clause
#include "learn/evaluate_kernel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <utility>

#include "learn/equal_rows.h"
#include "learn/grid_results.h"
#include "learn/kernel_side_by_side.h"
#include "learn/kernel_solver.h"
#include "learn/linear_model.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr const char* kMachines = "kernel machines";

// The solver stops at a residual (kernel_side_by_side.h); |f| is at most 4 C times the points.
double tie_of_kernel(double c, std::size_t points) {
  constexpr double kResiduals = 100;
  return kResiduals * kKernelResidual * std::min(1.0, 4 * c * static_cast<double>(points));
}

// The machines of a target on some training graphs: one for each output.
struct TargetMachines {
  std::vector<KernelProblem> problems;
  // Numbers are learnt as (number - mean) / deviation.
  double mean = 0;
  double deviation = 1;
};

void standardise_numbers(const TargetColumn& target, TargetMachines& machines) {
  KernelProblem& problem = machines.problems.front();
  problem.loss = KernelLoss::squared_error;
  double sum = 0;
  double weight = 0;
  for (std::size_t i = 0; i < problem.train.size(); ++i) {
    const double v = problem.weights.empty() ? 1 : problem.weights[i];
    problem.labels.push_back(target.number_of_graph[problem.train[i]]);
    sum += v * problem.labels.back();
    weight += v;
  }
  machines.mean = sum / weight;
  double square = 0;
  for (double& y : problem.labels) {
    y -= machines.mean;
    square += y * y;
  }
  const double deviation = std::sqrt(square / static_cast<double>(problem.labels.size()));
  if (deviation > 0) machines.deviation = deviation;
  for (double& y : problem.labels) y /= machines.deviation;
}

TargetMachines machines_of(const Experiment& experiment, const TargetColumn& target,
                           const std::vector<std::uint32_t>& train) {
  TargetMachines machines;
  const std::vector<double> weights = sample_weights(task_of(experiment, target), train);
  for (std::size_t o = 0; o < num_outputs(target); ++o) {
    machines.problems.push_back({train, {}, weights, KernelLoss::squared_hinge});
    if (target.is_classes()) machines.problems.back().labels = one_against_rest(target, train, o);
  }
  if (!target.is_classes()) standardise_numbers(target, machines);
  return machines;
}

// The fold of a choice and target that problems belong to: one for every output.
struct FoldMachines {
  std::size_t choice;
  std::size_t target;
  std::size_t fold;
  std::vector<std::uint32_t> test;
  std::size_t first_problem;
  double mean;
  double deviation;
  std::vector<DoubleMatrix> scores;  // by C
};

}  // namespace

std::vector<Evaluation> evaluate_kernel(const DoubleMatrix& kernel, const Experiment& experiment,
                                        const std::vector<CChoice>& choices, const RunOptions& options) {
  const std::vector<std::uint32_t> first_equal = first_equal_rows(kernel);
  std::vector<GridResults> results;
  std::vector<FoldMachines> folds;
  std::vector<KernelProblem> problems;
  std::vector<std::size_t> fold_of_problem;
  for (std::size_t choice = 0; choice < choices.size(); ++choice) {
    GridResults& result = results.emplace_back(experiment, choices[choice]);
    for (std::size_t t = 0; t < experiment.targets.size(); ++t) {
      const TargetColumn& target = experiment.targets[t];
      for (std::size_t f = 0; f < result.num_folds(); ++f) {
        std::vector<std::uint32_t> test = target.tested(result.fold(f));
        if (test.empty()) {
          result.take(t, f, no_scores(experiment, target));
          continue;
        }
        TargetMachines machines = machines_of(experiment, target, target.present(result.fold(f).train));
        const std::vector<DoubleMatrix> scores(experiment.learning.C.size(),
                                               DoubleMatrix(test.size(), num_outputs(target)));
        folds.push_back({choice, t, f, std::move(test), problems.size(), machines.mean, machines.deviation, scores});
        for (KernelProblem& problem : machines.problems) {
          problems.push_back(std::move(problem));
          fold_of_problem.push_back(folds.size() - 1);
        }
      }
    }
  }
  std::vector<std::size_t> unconverged(problems.size(), 0);
  std::atomic<std::size_t> done{0};
  const std::size_t total = problems.size() * experiment.learning.C.size();
  solve_kernel_machines(kernel, problems, experiment.learning.C, options,
                        [&](std::size_t p, std::size_t c, const KernelSolution& solution) {
                          FoldMachines& fold = folds[fold_of_problem[p]];
                          DoubleMatrix& scores = fold.scores[c];
                          for (std::size_t i = 0; i < fold.test.size(); ++i) {
                            scores(i, p - fold.first_problem) =
                                fold.mean + fold.deviation * solution.f[first_equal[fold.test[i]]];
                          }
                          unconverged[p] += solution.converged ? 0 : 1;
                          report_progress(options, kMachines, ++done, total);
                        });
  for (FoldMachines& fold : folds) {
    if (experiment.targets[fold.target].is_classes()) {
      for (std::size_t c = 0; c < fold.scores.size(); ++c) {
        settle_ties(fold.scores[c], tie_of_kernel(experiment.learning.C[c], problems[fold.first_problem].train.size()));
      }
    }
    results[fold.choice].take(fold.target, fold.fold, std::move(fold.scores));
  }
  std::vector<Evaluation> evaluations;
  for (GridResults& result : results) evaluations.push_back(result.finish());
  for (std::size_t p = 0; p < problems.size(); ++p) {
    evaluations[folds[fold_of_problem[p]].choice].unconverged += unconverged[p];
  }
  return evaluations;
}

KernelModel train_on_kernel(const DoubleMatrix& kernel, const Experiment& experiment, const TargetColumn& target,
                            const std::vector<std::uint32_t>& train, double c, const RunOptions& options) {
  const TargetMachines machines = machines_of(experiment, target, train);
  KernelModel model{DoubleMatrix(machines.problems.size(), train.size()), machines.mean, true};
  solve_kernel_machines(
      kernel, machines.problems, {&c, 1}, options, [&](std::size_t p, std::size_t, const KernelSolution& solution) {
        const KernelProblem& problem = machines.problems[p];
        for (std::size_t i = 0; i < train.size(); ++i) {
          // Beyond the margin nothing is left at the optimum, but on the way to it something is.
          const bool is_beyond =
              problem.loss == KernelLoss::squared_hinge && problem.labels[i] * solution.f[train[i]] >= 1;
          model.coefficients(p, i) = is_beyond ? 0.0 : machines.deviation * solution.a[i];
        }
        if (!solution.converged) model.converged = false;
      });
  return model;
}

}  // namespace gckn
