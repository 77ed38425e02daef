// SPDX-License-Identifier: BSD-3-Clause
#include "learn/network_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gckn/error.h"
#include "learn/cost.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Above this many numbers in its vectors a set's folds are done one after the other, each on all threads.
constexpr std::size_t kLargeVectors = 4'000'000;

std::vector<std::size_t> search_order(const std::vector<NetworkConfig>& networks) {
  std::vector<std::size_t> order(networks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return first_layer_key(networks[k]); });
  return order;
}

// The names of units in the journal.
std::string unit_of(const NetworkConfig& config) {
  return nlohmann::ordered_json::parse(to_json(config)).dump();
}
std::string unit_of(const NetworkConfig& config, std::size_t fold) {
  return fmt::format("{} fold {}", unit_of(config), fold + 1);
}

// Whether `config` fails wherever `failed` does, having the same layers with paths that are at least as long.
bool is_at_least(const NetworkConfig& config, const NetworkConfig& failed) {
  return config.features == failed.features && config.edge_labels == failed.edge_labels &&
         std::ranges::equal(config.layers, failed.layers, [](const LayerConfig& layer, const LayerConfig& other) {
           return layer.kind == other.kind && layer.all_lengths == other.all_lengths &&
                  layer.pooling == other.pooling && layer.path_length >= other.path_length;
         });
}

}  // namespace

bool BestNetwork::is_beaten_by(std::size_t candidate, double score) const {
  if (!found) return true;
  // Rounded, so that sums of the same numbers in another order are equal.
  const auto rounded = [](double value) { return std::isfinite(value) ? std::round(value * 1e9) : value; };
  const double before = rounded(evaluation.score);
  const double now = rounded(score);
  return now > before || (now == before && candidate < network);
}

NetworkSearch::NetworkSearch(const GraphSet& graphs, const CrossValidationOptions& cv, const Experiment& experiment,
                             Journal& journal, RunProgress& progress)
    : graphs_(graphs),
      cv_(cv),
      experiment_(experiment),
      journal_(journal),
      progress_(progress),
      fit_(cv.fit),
      order_(search_order(cv.networks)),
      patterns_(graphs) {
  fit_.seed = cv.seed;
}

double NetworkSearch::unit_cost(const NetworkConfig& config, const CChoice& choice) const {
  return cost_of_network(graphs_, config) + cost_of_models(experiment_, choice, expected_columns(config));
}

double NetworkSearch::cost_on(std::size_t candidate, const std::vector<Fold>& folds) const {
  const NetworkConfig& config = cv_.networks[candidate];
  return journal_.find(unit_of(config), experiment_, folds) != nullptr ? 0 : unit_cost(config, {&folds, &folds});
}

double NetworkSearch::cost_on(const std::vector<Fold>& folds) const {
  double sum = 0;
  for (std::size_t k = 0; k < cv_.networks.size(); ++k) sum += cost_on(k, folds);
  return sum;
}

double NetworkSearch::cost_on_each(std::size_t candidate, const std::vector<Fold>& folds,
                                   const std::vector<std::vector<Fold>>& inner) const {
  const NetworkConfig& config = cv_.networks[candidate];
  double sum = 0;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const std::vector<Fold> outer{folds[f]};
    if (journal_.find(unit_of(config, f), experiment_, outer) == nullptr) sum += unit_cost(config, {&inner[f], &outer});
  }
  return sum;
}

double NetworkSearch::cost_on_each(const std::vector<Fold>& folds, const std::vector<std::vector<Fold>>& inner) const {
  double sum = 0;
  for (std::size_t k = 0; k < cv_.networks.size(); ++k) sum += cost_on_each(k, folds, inner);
  return sum;
}

Evaluation NetworkSearch::evaluate_models(const Matrix& vectors, const CChoice& choice) {
  const RunOptions options = progress_.within(cost_of_models(experiment_, choice, vectors.cols()));
  return evaluate(vectors, experiment_, *choice.selection, *choice.prediction, options);
}

CompiledSet NetworkSearch::compile(const NetworkConfig& config) {
  return patterns_.compile(config, progress_.within());
}

FittedNetwork NetworkSearch::fit_on_all(const NetworkConfig& config) {
  return fit_on(config, {}, compile(config), anchors_of_all_);
}

FittedNetwork NetworkSearch::fit_on(const NetworkConfig& config, std::span<const char> is_training,
                                    const CompiledSet& compiled, AnchorStore<float>& anchors) {
  FittedNetwork fitted = fit_on_and_embed(graphs_, config, is_training, compiled, fit_, anchors, progress_.within());
  if (fitted.network.learnt_from().is_sample()) sampled_ = true;
  return fitted;
}

std::vector<std::string> NetworkSearch::remarks() const {
  std::vector<std::string> remarks = remarks_;
  if (sampled_) remarks.push_back(sampling_remark(fit_));
  return remarks;
}

// Runs `body` for a candidate, unless the graphs have too many paths for it or none, as they have for all like it with
// longer paths. Returns whether it was run to its end.
template <typename Body>
bool NetworkSearch::try_network(std::size_t candidate, const Body& body) {
  const NetworkConfig& config = cv_.networks[candidate];
  if (std::ranges::any_of(unsuitable_, [&](const NetworkConfig& other) { return is_at_least(config, other); })) {
    return false;
  }
  try {
    body();
    return true;
  } catch (const UnsuitableNetwork& error) {
    leave_out(config, error.what());
    return false;
  }
}

void NetworkSearch::leave_out(const NetworkConfig& config, const std::string& why) {
  why_unsuitable_ = why;
  unsuitable_.push_back(config);
  const LayerConfig& first = config.layers.front();
  std::string remark = fmt::format("networks of {} with {}s of {} or more edges{} are left out: {}",
                                   counted(config.layers.size(), "layer"), to_string(first.kind), first.path_length,
                                   first.pooling == Pooling::max || first.pooling == Pooling::gmp
                                       ? fmt::format(" and {} pooling", to_string(first.pooling))
                                       : "",
                                   why);
  if (std::ranges::find(remarks_, remark) == remarks_.end()) remarks_.push_back(std::move(remark));
}

void NetworkSearch::require_one(const BestNetwork& best) const {
  if (!best.found) throw InputError(why_unsuitable_);
}

BestNetwork NetworkSearch::best_on(const std::vector<Fold>& folds, std::vector<NetworkScore>& scores) {
  BestNetwork best;
  for (std::size_t k = 0; k < cv_.networks.size(); ++k) scores.push_back({k, NAN, {}});
  for (const std::size_t k : order_) {
    const NetworkConfig& config = cv_.networks[k];
    const double done = progress_.done() + cost_on(k, folds);  // when this one is
    const Evaluation* known = journal_.find(unit_of(config), experiment_, folds);
    Evaluation evaluation;
    std::optional<FittedNetwork> fitted;
    if (known != nullptr) {
      evaluation = *known;
    } else {
      const bool suits = try_network(k, [&] {
        fitted = fit_on_all(config);
        progress_.advance(cost_of_network(graphs_, config));
        evaluation = evaluate_models(fitted->vectors, {&folds, &folds});
      });
      progress_.advance_to(done);
      if (!suits) continue;
      journal_.record(unit_of(config), evaluation, best.is_beaten_by(k, evaluation.score));
    }
    unconverged_ += evaluation.unconverged;
    scores[k] = {k, evaluation.score, evaluation.score_by_c};
    if (best.is_beaten_by(k, evaluation.score)) best = {k, std::move(evaluation), true, std::move(fitted)};
  }
  require_one(best);
  if (!best.fitted) best.fitted = fit_on_all(cv_.networks[best.network]);
  if (best.evaluation.predictions.empty()) {  // the journal has it, but not as the best of its search
    best.evaluation = evaluate_models(best.fitted->vectors, {&folds, &folds});
  }
  return best;
}

std::vector<BestNetwork> NetworkSearch::best_of_each(const std::vector<Fold>& folds,
                                                     const std::vector<std::vector<Fold>>& inner) {
  anchors_.resize(folds.size());
  std::vector<BestNetwork> best(folds.size());
  for (const std::size_t k : order_) {
    const double done = progress_.done() + cost_on_each(k, folds, inner);
    try_network(k, [&] { evaluate_on_each(k, folds, inner, best); });
    progress_.advance_to(done);  // also if some of its folds were not reached
  }
  require_one(best[0]);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    if (!best[f].evaluation.predictions.empty()) continue;
    const NetworkConfig& config = cv_.networks[best[f].network];
    best[f].evaluation = evaluate_on_fold(config, compile(config), folds[f], f, inner[f]);
  }
  return best;
}

// One network on all folds, those of the journal excepted.
void NetworkSearch::evaluate_on_each(std::size_t candidate, const std::vector<Fold>& folds,
                                     const std::vector<std::vector<Fold>>& inner, std::vector<BestNetwork>& best) {
  // Kept apart until all folds have one: a network that one fold cannot learn is no candidate for the others.
  std::vector<Evaluation> evaluations(folds.size());
  std::vector<std::size_t> missing;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const Evaluation* known = journal_.find(unit_of(cv_.networks[candidate], f), experiment_, {folds[f]});
    if (known == nullptr) {
      missing.push_back(f);
    } else {
      evaluations[f] = *known;
    }
  }
  if (!missing.empty()) evaluate_missing(candidate, missing, folds, inner, best, evaluations);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    unconverged_ += evaluations[f].unconverged;
    if (best[f].is_beaten_by(candidate, evaluations[f].score)) {
      best[f] = {candidate, std::move(evaluations[f]), true, {}};
    }
  }
}

void NetworkSearch::evaluate_missing(std::size_t candidate, std::vector<std::size_t> missing,
                                     const std::vector<Fold>& folds, const std::vector<std::vector<Fold>>& inner,
                                     const std::vector<BestNetwork>& best, std::vector<Evaluation>& evaluations) {
  const NetworkConfig& config = cv_.networks[candidate];
  const CompiledSet compiled = compile(config);
  std::atomic<bool> large{false};
  const auto one_fold = [&](std::size_t f) {
    evaluations[f] = evaluate_on_fold(config, compiled, folds[f], f, inner[f], &large);
    journal_.record(unit_of(config, f), evaluations[f], best[f].is_beaten_by(candidate, evaluations[f].score));
  };
  // The first fold alone, to see how large its vectors are.
  one_fold(missing.front());
  missing.erase(missing.begin());
  if (large) {
    for (const std::size_t f : missing) one_fold(f);
  } else {
    parallel_for(missing.size(), [&](std::size_t i) { one_fold(missing[i]); });
  }
}

// All graphs are embedded in one pass; the test graphs' rows are predicted, but nothing is chosen by them.
Evaluation NetworkSearch::evaluate_on_fold(const NetworkConfig& config, const CompiledSet& compiled, const Fold& fold,
                                           std::size_t f, const std::vector<Fold>& inner, std::atomic<bool>* large) {
  std::vector<char> is_training(graphs_.num_graphs());
  for (const std::uint32_t g : fold.train) is_training[g] = 1;
  const Matrix vectors = fit_on(config, is_training, compiled, anchors_[f]).vectors;
  if (large != nullptr && vectors.size() > kLargeVectors) *large = true;
  progress_.advance(cost_of_network(graphs_, config));
  const std::vector<Fold> outer{fold};
  return evaluate_models(vectors, {&inner, &outer});
}

}  // namespace gckn
