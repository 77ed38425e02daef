// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/learning.h"

#include <cmath>

#include "util/words.h"

namespace gckn {
namespace {

constexpr Words<Learner, 4> kLearners{
    {{Learner::automatic, "auto"}, {Learner::svm, "svm"}, {Learner::logistic, "logistic"}, {Learner::ridge, "ridge"}}};
constexpr Words<Metric, 9> kMetrics{{{Metric::accuracy, "accuracy"},
                                     {Metric::balanced_accuracy, "balanced-accuracy"},
                                     {Metric::roc_auc, "roc-auc"},
                                     {Metric::pr_auc, "pr-auc"},
                                     {Metric::mcc, "mcc"},
                                     {Metric::log_loss, "log-loss"},
                                     {Metric::rmse, "rmse"},
                                     {Metric::mae, "mae"},
                                     {Metric::r2, "r2"}}};

}  // namespace

std::vector<double> LearningOptions::default_c_grid() {
  constexpr int kValues = 60;
  std::vector<double> grid;
  for (int i = 0; i < kValues; ++i) grid.push_back(std::pow(10.0, -4.0 + 8.0 * i / (kValues - 1)));
  return grid;
}

std::vector<double> LearningOptions::short_c_grid() {
  constexpr std::size_t kEvery = 4;
  constexpr double kLargest = 100;
  const std::vector<double> all = default_c_grid();
  std::vector<double> few;
  for (std::size_t i = 0; i < all.size() && all[i] <= kLargest; i += kEvery) few.push_back(all[i]);
  return few;
}

std::string_view to_string(Learner learner) {
  return word_of(kLearners, learner);
}
std::string_view to_string(Metric metric) {
  return word_of(kMetrics, metric);
}
Learner parse_learner(std::string_view word) {
  return value_of(kLearners, "learner", word);
}
Metric parse_metric(std::string_view word) {
  return value_of(kMetrics, "metric", word);
}

bool larger_is_better(Metric metric) {
  return metric != Metric::log_loss && metric != Metric::rmse && metric != Metric::mae;
}

}  // namespace gckn
