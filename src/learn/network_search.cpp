// SPDX-License-Identifier: BSD-3-Clause
#include "learn/network_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "gckn/error.h"
#include "learn/cost.h"
#include "learn/evaluate_kernel.h"
#include "learn/gaussian_kernel.h"
#include "learn/supervised_evaluation.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Above this many numbers in its vectors a set's folds are done one after the other, each on all threads.
constexpr std::size_t kLargeVectors = 4'000'000;

std::vector<Candidate> candidates_of(const CrossValidationOptions& cv) {
  std::vector<Candidate> candidates;
  for (std::size_t k = 0; k < cv.networks.size(); ++k) {
    for (const double penalty : cv.supervised ? cv.supervised->penalties : std::vector<double>{0}) {
      candidates.push_back({k, penalty});
    }
  }
  return candidates;
}

std::vector<std::size_t> search_order(const std::vector<Candidate>& candidates,
                                      const std::vector<NetworkConfig>& networks) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return first_layer_key(networks[candidates[k].network]); });
  return order;
}

// Where the default values of C are to be tried: what is learnt on has norm 1, so that far outside nothing is learnt,
// or everything is fitted and takes longest, and between neighbours of the long grid nothing changes.
struct CRange {
  double smallest, largest;
};
constexpr CRange kOfStates{1e-3, 1e3};
constexpr CRange kOfGaussians{0.3, 20};  // above them nothing changes any more
Experiment with_few_values(Experiment experiment, const CRange& range, std::size_t every = 1) {
  const std::vector<double> few = LearningOptions::short_c_grid();
  std::vector<double>& values = experiment.learning.C;
  if (values != LearningOptions::default_c_grid() && values != few) return experiment;
  values.clear();
  // From the end: what a rule makes wants a large C.
  for (std::size_t i = few.size(); i > 0; i -= std::min(i, every)) {
    if (few[i - 1] >= range.smallest && few[i - 1] <= range.largest) values.insert(values.begin(), few[i - 1]);
  }
  return experiment;
}

// Linear models on thousands of graphs try every second value where Gaussian heads are tried, too: to tell whether a
// rule makes the classes, that is enough, and takes half the time.
std::size_t steps_of_states(std::size_t graphs) {
  constexpr std::size_t kThousands = 1500;
  return graphs > kThousands && graphs <= kMostKernelGraphs ? 2 : 1;
}

// Of a score, were it a share of so many graphs (as accuracy is; areas under curves are not far from it) or, where it
// is negative, an error.
double standard_error(double score, std::size_t graphs) {
  if (!std::isfinite(score)) return 0;
  const auto n = static_cast<double>(graphs);
  return score < 0 ? -score / std::sqrt(2 * n) : std::sqrt(std::max(score * (1 - score), 0.0) / n);
}

void require_kernel_machines(const GraphSet& graphs, const Experiment& experiment) {
  if (graphs.num_graphs() > kMostKernelGraphs) {
    throw UnsuitableNetwork(
        fmt::format("a kernel of {} graphs is too large (at most {})", graphs.num_graphs(), kMostKernelGraphs));
  }
  if (experiment.learner == Learner::logistic) {
    throw UnsuitableNetwork("there is no logistic regression on a kernel; the learner svm has probabilities, too");
  }
}

// Whether `config` fails wherever `failed` does, having the same layers with paths that are at least as long.
bool is_at_least(const NetworkConfig& config, const NetworkConfig& failed) {
  return config.compare == failed.compare && config.head == failed.head && config.features == failed.features &&
         config.edge_labels == failed.edge_labels &&
         std::ranges::equal(config.layers, failed.layers, [](const LayerConfig& layer, const LayerConfig& other) {
           return layer.kind == other.kind && layer.all_lengths == other.all_lengths &&
                  layer.pooling == other.pooling && layer.path_length >= other.path_length;
         });
}

}  // namespace

bool NetworkSearch::beats(std::size_t candidate, double score, const BestNetwork& best) const {
  if (!best.found) return true;
  // At the least so that sums of the same numbers in another order are equal.
  const double step = std::max(experiment_.learning.score_resolution, 1e-9);
  const auto rounded = [&](double value) { return std::isfinite(value) ? std::round(value / step) : value; };
  const Head head = config(candidate).head;
  const Head head_before = config(best.candidate).head;
  const auto lead_over = [&](double of_gaussian) {
    return experiment_.learning.linear_lead * standard_error(of_gaussian, graphs_.num_graphs());
  };
  double before = best.evaluation.score;
  double now = score;
  if (head == Head::linear && head_before == Head::gaussian) before += lead_over(before);
  if (head == Head::gaussian && head_before == Head::linear) now += lead_over(now);
  before = rounded(before);
  now = rounded(now);
  return now > before || (now == before && candidate < best.candidate);
}

NetworkSearch::NetworkSearch(const GraphSet& graphs, const CrossValidationOptions& cv, const Experiment& experiment,
                             Journal& journal, RunProgress& progress)
    : graphs_(graphs),
      cv_(cv),
      experiment_(experiment),
      states_experiment_(with_few_values(experiment, kOfStates, steps_of_states(graphs.num_graphs()))),
      gaussian_experiment_(with_few_values(experiment, kOfGaussians)),
      journal_(journal),
      progress_(progress),
      fit_(cv.fit),
      candidates_(candidates_of(cv)),
      order_(search_order(candidates_, cv.networks)),
      patterns_(graphs),
      all_graphs_(graphs.num_graphs()) {
  fit_.seed = cv.seed;
  std::iota(all_graphs_.begin(), all_graphs_.end(), std::uint32_t{0});
}

const NetworkConfig& NetworkSearch::config(std::size_t candidate) const {
  return cv_.networks[candidates_[candidate].network];
}

const Experiment& NetworkSearch::experiment_of(std::size_t candidate) const {
  if (config(candidate).head == Head::gaussian) return gaussian_experiment_;
  return config(candidate).compare == Compare::states ? states_experiment_ : experiment_;
}

// The names of units in the journal.
std::string NetworkSearch::unit_of(std::size_t candidate) const {
  const std::string network = nlohmann::ordered_json::parse(to_json(config(candidate))).dump();
  return cv_.supervised ? fmt::format("{} penalty {}", network, candidates_[candidate].penalty) : network;
}
std::string NetworkSearch::unit_of(std::size_t candidate, std::size_t fold) const {
  return fmt::format("{} fold {}", unit_of(candidate), fold + 1);
}

double NetworkSearch::unit_cost(std::size_t candidate, const CChoice& choice) const {
  const NetworkConfig& network = config(candidate);
  if (cv_.supervised) return cost_of_training(graphs_, network, *cv_.supervised, choice);
  if (network.head == Head::gaussian) {
    return (compares_vectors(network) ? cost_of_network(graphs_, network) : 0) + cost_of_kernel(graphs_) +
           cost_of_kernel_models(gaussian_experiment_, choice);
  }
  if (network.compare == Compare::states) return cost_of_states(graphs_, network, states_experiment_, choice);
  return cost_of_network(graphs_, network) + cost_of_models(experiment_, choice, expected_columns(network));
}

double NetworkSearch::cost_on(std::size_t candidate, const std::vector<Fold>& folds) const {
  const bool known = journal_.find(unit_of(candidate), experiment_of(candidate), folds) != nullptr;
  return known ? 0 : unit_cost(candidate, {&folds, &folds});
}

double NetworkSearch::cost_on(const std::vector<Fold>& folds) const {
  double sum = 0;
  for (std::size_t k = 0; k < candidates_.size(); ++k) sum += cost_on(k, folds);
  return sum;
}

double NetworkSearch::cost_on_each(std::size_t candidate, const std::vector<Fold>& folds,
                                   const std::vector<std::vector<Fold>>& inner) const {
  double sum = 0;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const std::vector<Fold> outer{folds[f]};
    if (journal_.find(unit_of(candidate, f), experiment_of(candidate), outer) == nullptr) {
      sum += unit_cost(candidate, {&inner[f], &outer});
    }
  }
  return sum;
}

double NetworkSearch::cost_on_each(const std::vector<Fold>& folds, const std::vector<std::vector<Fold>>& inner) const {
  double sum = 0;
  for (std::size_t k = 0; k < candidates_.size(); ++k) sum += cost_on_each(k, folds, inner);
  return sum;
}

NetworkSearch::TrainingPatterns NetworkSearch::compile_for_training(std::size_t candidate, std::size_t trainings) {
  // A training makes good use of a few threads only, so that several go side by side unless threads are many more.
  return {compile(config(candidate)), patterns_.compile_for_training(config(candidate), progress_.within()),
          trainings > 1 && 2 * trainings >= static_cast<std::size_t>(num_threads())};
}

Evaluation NetworkSearch::evaluate_training(std::size_t candidate, const TrainingPatterns& patterns,
                                            const Experiment& experiment, const CChoice& choice) {
  const NetworkConfig& network = config(candidate);
  const RunOptions options = progress_.within(cost_of_training(graphs_, network, *cv_.supervised, choice));
  return evaluate_supervised({&graphs_, &network, &patterns.compiled, &patterns.batches, *cv_.supervised,
                              candidates_[candidate].penalty, fit_, patterns.side_by_side},
                             experiment, choice, options);
}

Evaluation NetworkSearch::evaluate_models(const FittedNetwork& fitted, const Experiment& experiment,
                                          const CChoice& choice, const std::vector<std::uint32_t>& learnt_from) {
  const NetworkConfig& network = fitted.network.config();
  Evaluation evaluation;
  if (network.head == Head::gaussian) {
    const DoubleMatrix kernel = GaussianKernel(fitted, learnt_from).with_constant();
    progress_.advance(cost_of_kernel(graphs_));
    evaluation = std::move(
        evaluate_kernel(kernel, experiment, {choice}, progress_.within(cost_of_kernel_models(experiment, choice)))
            .front());
  } else if (network.compare == Compare::states) {
    evaluation = evaluate(fitted.states->rows, experiment, choice,
                          progress_.within(cost_of_states(graphs_, network, experiment, choice)));
  } else {
    const RunOptions options = progress_.within(cost_of_models(experiment, choice, fitted.vectors.cols()));
    evaluation = evaluate(fitted.vectors, experiment, *choice.selection, *choice.prediction, options);
  }
  if (fitted.network.learnt_from().is_sample()) evaluation.remarks.push_back(sampling_remark(fit_));
  return evaluation;
}

CompiledSet NetworkSearch::compile(const NetworkConfig& config) {
  return patterns_.compile(config, progress_.within());
}

// They depend on nothing that is learnt, so those of all graphs serve every fold, and the next candidate that has the
// same.
std::shared_ptr<const StatesOfGraphs> NetworkSearch::states_of(const NetworkConfig& config) {
  NetworkConfig of_states = states(config.layers.front().path_length, config.head);
  of_states.features = config.features;
  of_states.edge_labels = config.edge_labels;
  std::string key = to_json(of_states);
  if (key != states_key_) {
    states_.reset();
    states_ = states_of_graphs(graphs_, of_states, fit_, progress_.within());
    states_key_ = std::move(key);
  }
  return states_;
}

FittedNetwork NetworkSearch::fit_on_all(const NetworkConfig& config) {
  if (config.head == Head::gaussian) require_kernel_machines(graphs_, experiment_);
  std::shared_ptr<const StatesOfGraphs> states;
  if (compares_states(config)) states = states_of(config);
  if (!compares_vectors(config)) return fitted_states(graphs_, config, fit_, std::move(states));
  FittedNetwork fitted = fit_on(config, {}, compile(config), anchors_of_all_);
  fitted.states = std::move(states);
  return fitted;
}

FittedNetwork NetworkSearch::fit_on(const NetworkConfig& config, std::span<const char> is_training,
                                    const CompiledSet& compiled, AnchorStore<float>& anchors) {
  return fit_on_and_embed(graphs_, config, is_training, compiled, fit_, anchors, progress_.within());
}

// What an evaluation says, whether it was made now or is of a journal.
void NetworkSearch::take_notes(const Evaluation& evaluation) {
  unconverged_ += evaluation.unconverged;
  for (const std::string& remark : evaluation.remarks) add_remark(remark);
}

void NetworkSearch::add_remark(const std::string& remark) {
  if (std::ranges::find(remarks_, remark) == remarks_.end()) remarks_.push_back(remark);
}

// Runs `body` for a candidate, unless the graphs have too many paths for it or none, as they have for all like it with
// longer paths. Returns whether it was run to its end.
template <typename Body>
bool NetworkSearch::try_network(std::size_t candidate, const Body& body) {
  const NetworkConfig& network = config(candidate);
  if (std::ranges::any_of(unsuitable_, [&](const NetworkConfig& other) { return is_at_least(network, other); })) {
    return false;
  }
  try {
    body();
    return true;
  } catch (const UnsuitableNetwork& error) {
    leave_out(network, error.what());
    return false;
  }
}

void NetworkSearch::leave_out(const NetworkConfig& network, const std::string& why) {
  why_unsuitable_ = why;
  unsuitable_.push_back(network);
  const LayerConfig& first = network.layers.front();
  const std::string max_pooling = first.pooling == Pooling::max || first.pooling == Pooling::gmp
                                      ? fmt::format(" and {} pooling", to_string(first.pooling))
                                      : "";
  const std::string what =
      network.compare == Compare::states
          ? "states of nodes"
          : fmt::format("networks of {} with {}s of {} or more edges{}", counted(network.layers.size(), "layer"),
                        to_string(first.kind), first.path_length, max_pooling);
  add_remark(network.head == Head::gaussian
                 ? fmt::format("a Gaussian head on {} is left out: {}",
                               network.compare == Compare::both ? "vectors and states" : to_string(network.compare),
                               why)
                 : fmt::format("{} are left out: {}", what, why));
}

void NetworkSearch::require_one(const BestNetwork& best) const {
  if (!best.found) throw InputError(why_unsuitable_);
}

// One candidate on all folds.
Evaluation NetworkSearch::evaluate_on(std::size_t candidate, const std::vector<Fold>& folds,
                                      std::optional<FittedNetwork>& fitted) {
  if (cv_.supervised) {
    return evaluate_training(candidate, compile_for_training(candidate, folds.size()), experiment_, {&folds, &folds});
  }
  fitted = fit_on_all(config(candidate));
  if (compares_vectors(config(candidate))) progress_.advance(cost_of_network(graphs_, config(candidate)));
  return evaluate_models(*fitted, experiment_of(candidate), {&folds, &folds}, all_graphs_);
}

BestNetwork NetworkSearch::best_on(const std::vector<Fold>& folds, std::vector<NetworkScore>& scores) {
  BestNetwork best;
  for (const Candidate& candidate : candidates_) scores.push_back({candidate.network, candidate.penalty, NAN, {}, {}});
  for (const std::size_t k : order_) {
    const double done = progress_.done() + cost_on(k, folds);  // when this one is
    const Evaluation* known = journal_.find(unit_of(k), experiment_of(k), folds);
    Evaluation evaluation;
    std::optional<FittedNetwork> fitted;
    if (known != nullptr) {
      evaluation = *known;
    } else {
      const bool suits = try_network(k, [&] { evaluation = evaluate_on(k, folds, fitted); });
      progress_.advance_to(done);
      if (!suits) continue;
      journal_.record(unit_of(k), evaluation, beats(k, evaluation.score, best));
    }
    take_notes(evaluation);
    scores[k].score = evaluation.score;
    scores[k].score_by_c = evaluation.score_by_c;
    scores[k].loss_by_epoch = evaluation.loss_by_epoch;
    if (beats(k, evaluation.score, best)) {
      best = {k, candidates_[k], std::move(evaluation), true, std::move(fitted)};
    }
  }
  require_one(best);
  // The journal may have it, but not as the best of its search.
  if (best.evaluation.predictions.empty()) best.evaluation = evaluate_on(best.candidate, folds, best.fitted);
  if (!best.fitted && !cv_.supervised) best.fitted = fit_on_all(config(best.candidate));
  return best;
}

double NetworkSearch::cost_of_scores_on(const std::vector<Fold>& folds) const {
  const NetworkConfig& network = cv_.networks.front();
  if (cv_.supervised) return cost_of_training(graphs_, network, *cv_.supervised, {&folds, &folds});
  Experiment one_c = experiment_;
  one_c.learning.C.resize(1);
  return cost_of_models(one_c, {&folds, &folds}, expected_columns(network));
}

std::vector<std::vector<DoubleMatrix>> NetworkSearch::scores_on(const BestNetwork& best,
                                                                const std::vector<Fold>& folds) {
  const CChoice choice{&folds, &folds};
  if (cv_.supervised) {
    Experiment one = experiment_;
    one.learning.C = {best.evaluation.C.front()};
    return evaluate_training(best.candidate, compile_for_training(best.candidate, folds.size()), one, choice)
        .predictions;
  }
  std::vector<std::vector<DoubleMatrix>> scores(folds.size());
  for (std::size_t t = 0; t < experiment_.targets.size(); ++t) {
    Experiment one = experiment_;
    one.targets = {experiment_.targets[t]};
    one.learning.C = {best.evaluation.C[t]};
    Evaluation evaluation = evaluate_models(*best.fitted, one, choice, all_graphs_);
    unconverged_ += evaluation.unconverged;
    for (std::size_t f = 0; f < folds.size(); ++f) scores[f].push_back(std::move(evaluation.predictions[f][0]));
  }
  return scores;
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
    const std::size_t k = best[f].candidate;
    std::vector<Evaluation> evaluations(folds.size());
    evaluate_missing(k, {f}, folds, inner, best, evaluations);
    best[f].evaluation = std::move(evaluations[f]);
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
    const Evaluation* known = journal_.find(unit_of(candidate, f), experiment_of(candidate), {folds[f]});
    if (known == nullptr) {
      missing.push_back(f);
    } else {
      evaluations[f] = *known;
    }
  }
  if (!missing.empty()) evaluate_missing(candidate, missing, folds, inner, best, evaluations);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    take_notes(evaluations[f]);
    if (beats(candidate, evaluations[f].score, best[f])) {
      best[f] = {candidate, candidates_[candidate], std::move(evaluations[f]), true, {}};
    }
  }
}

void NetworkSearch::evaluate_missing(std::size_t candidate, std::vector<std::size_t> missing,
                                     const std::vector<Fold>& folds, const std::vector<std::vector<Fold>>& inner,
                                     const std::vector<BestNetwork>& best, std::vector<Evaluation>& evaluations) {
  const auto record = [&](std::size_t f) {
    journal_.record(unit_of(candidate, f), evaluations[f], beats(candidate, evaluations[f].score, best[f]));
  };
  if (cv_.supervised) {
    const TrainingPatterns patterns =
        compile_for_training(candidate, missing.size() * (inner[missing.front()].size() + 1));
    const auto train = [&](std::size_t i) {
      const std::vector<Fold> outer{folds[missing[i]]};
      evaluations[missing[i]] = evaluate_training(candidate, patterns, experiment_, {&inner[missing[i]], &outer});
      record(missing[i]);
    };
    if (patterns.side_by_side) return parallel_for(missing.size(), train);
    for (std::size_t i = 0; i < missing.size(); ++i) train(i);
    return;
  }
  const NetworkConfig& network = config(candidate);
  if (network.compare == Compare::states) {
    const FittedNetwork fitted = fit_on_all(network);
    if (network.head == Head::gaussian) {
      evaluate_by_shared_kernels(fitted, missing, folds, inner, evaluations);
      for (const std::size_t f : missing) record(f);
      return;
    }
    parallel_for(missing.size(), [&](std::size_t i) {
      const std::size_t f = missing[i];
      const std::vector<Fold> outer{folds[f]};
      evaluations[f] = evaluate_models(fitted, states_experiment_, {&inner[f], &outer}, folds[f].train);
      record(f);
    });
    return;
  }
  if (network.head == Head::gaussian) require_kernel_machines(graphs_, experiment_);
  if (compares_states(network)) states_of(network);  // before folds go side by side
  const CompiledSet compiled = compile(config(candidate));
  std::atomic<bool> large{false};
  const auto one_fold = [&](std::size_t f) {
    evaluations[f] = evaluate_on_fold(config(candidate), compiled, folds[f], f, inner[f], &large);
    record(f);
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

// Folds whose training graphs give the same scale have the same kernel.
void NetworkSearch::evaluate_by_shared_kernels(const FittedNetwork& fitted, const std::vector<std::size_t>& missing,
                                               const std::vector<Fold>& folds,
                                               const std::vector<std::vector<Fold>>& inner,
                                               std::vector<Evaluation>& evaluations) {
  std::map<double, std::vector<std::size_t>> folds_of_scale;
  for (const std::size_t f : missing) {
    folds_of_scale[GaussianKernel(fitted, folds[f].train).scales().states].push_back(f);
  }
  for (const auto& [scale, members] : folds_of_scale) {
    std::vector<std::vector<Fold>> outer;
    for (const std::size_t f : members) outer.push_back({folds[f]});
    std::vector<CChoice> choices;
    double cost = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      choices.push_back({&inner[members[i]], &outer[i]});
      cost += cost_of_kernel_models(gaussian_experiment_, choices.back());
    }
    const DoubleMatrix kernel = GaussianKernel(fitted, folds[members.front()].train).with_constant();
    progress_.advance(cost_of_kernel(graphs_) * static_cast<double>(members.size()));
    std::vector<Evaluation> found = evaluate_kernel(kernel, gaussian_experiment_, choices, progress_.within(cost));
    for (std::size_t i = 0; i < members.size(); ++i) evaluations[members[i]] = std::move(found[i]);
  }
}

// All graphs are embedded in one pass; the test graphs' rows are predicted, but nothing is chosen by them.
Evaluation NetworkSearch::evaluate_on_fold(const NetworkConfig& network, const CompiledSet& compiled, const Fold& fold,
                                           std::size_t f, const std::vector<Fold>& inner, std::atomic<bool>* large) {
  std::vector<char> is_training(graphs_.num_graphs());
  for (const std::uint32_t g : fold.train) is_training[g] = 1;
  FittedNetwork fitted = fit_on(network, is_training, compiled, anchors_[f]);
  const bool of_kernel = network.head == Head::gaussian;
  if (compares_states(network)) fitted.states = states_;
  if (fitted.vectors.size() > kLargeVectors ||
      (of_kernel && graphs_.num_graphs() * graphs_.num_graphs() > kLargeVectors)) {
    *large = true;
  }
  progress_.advance(cost_of_network(graphs_, network));
  const std::vector<Fold> outer{fold};
  return evaluate_models(fitted, of_kernel ? gaussian_experiment_ : experiment_, {&inner, &outer}, fold.train);
}

}  // namespace gckn
