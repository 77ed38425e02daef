// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/cross_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "gckn/error.h"
#include "gckn/version.h"
#include "graph/fingerprint.h"
#include "learn/baselines.h"
#include "learn/evaluate.h"
#include "learn/journal.h"
#include "learn/linear_model.h"
#include "learn/splits.h"
#include "learn/summary.h"
#include "network/encoding.h"
#include "network/fit.h"
#include "util/counted.h"
#include "util/parallel.h"
#include "util/random.h"
#include "util/words.h"

namespace gckn {
namespace {

constexpr Words<Protocol, 3> kProtocols{
    {{Protocol::nested, "nested"}, {Protocol::paper, "paper"}, {Protocol::paper_repeated, "paper-repeated"}}};

// Above this many numbers in its vectors a set's folds are done one after the other, each on all threads.
constexpr int kMostRepeats = 10'000;
constexpr std::size_t kLargeVectors = 4'000'000;

// Candidates in an order in which those that share patterns follow each other.
std::vector<std::size_t> search_order(const std::vector<NetworkConfig>& networks) {
  std::vector<std::size_t> order(networks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return first_layer_key(networks[k]); });
  return order;
}

// The name of a network in the journal.
std::string name_of(const NetworkConfig& config) {
  return nlohmann::ordered_json::parse(to_json(config)).dump();
}

// Whether `config` fails wherever `failed` does, having the same layers with paths that are at least as long.
bool is_at_least(const NetworkConfig& config, const NetworkConfig& failed) {
  return config.features == failed.features && config.edge_labels == failed.edge_labels &&
         std::ranges::equal(config.layers, failed.layers, [](const LayerConfig& layer, const LayerConfig& other) {
           return layer.kind == other.kind && layer.all_lengths == other.all_lengths &&
                  layer.pooling == other.pooling && layer.path_length >= other.path_length;
         });
}

// The best candidate so far: the highest score, the first candidate of equals.
struct Best {
  std::size_t network = 0;
  Evaluation evaluation;
  bool found = false;

  [[nodiscard]] bool is_beaten_by(std::size_t k, double score) const {
    if (!found) return true;
    // Rounded, so that sums of the same numbers in another order are equal.
    const auto rounded = [](double value) { return std::isfinite(value) ? std::round(value * 1e9) : value; };
    const double before = rounded(evaluation.score);
    const double now = rounded(score);
    return now > before || (now == before && k < network);
  }
};

class CrossValidation {
 public:
  CrossValidation(const GraphSet& graphs, const CrossValidationOptions& cv, const RunOptions& options)
      : graphs_(graphs),
        cv_(cv),
        options_(options),
        experiment_(make_experiment(graphs, cv.learning)),
        with_target_(graphs_with_target(experiment_.targets, graphs.num_graphs())),
        order_(search_order(cv.networks)),
        patterns_(graphs),
        caller_(std::this_thread::get_id()) {
    fit_ = cv.fit;
    fit_.seed = cv.seed;
    // Progress of whole networks and folds is what tells; the engine's own would only flicker. Other threads learn of a
    // cancellation from the calling one.
    quiet_ = options;
    if (options.progress) {
      quiet_.progress = [this](const Progress&) {
        if (std::this_thread::get_id() == caller_ && !options_.progress({stage_, done_.load(), total_})) {
          cancelled_ = true;
        }
        return !cancelled_;
      };
    }
  }

  CrossValidationResult run() {
    CrossValidationResult result;
    result.optimistic = cv_.protocol != Protocol::nested;
    choose_folds(result);
    std::unique_ptr<Journal> journal =
        cv_.journal.empty() ? std::make_unique<Journal>()
                            : std::make_unique<Journal>(cv_.journal, journal_header(result.folds), cv_.resume);
    journal_ = journal.get();

    total_ = cv_.networks.size() * (cv_.protocol == Protocol::nested ? result.folds.size() : 1);
    std::vector<std::vector<DoubleMatrix>> ours;  // by fold and target
    if (cv_.protocol == Protocol::nested) {
      ours = nested(result);
    } else if (cv_.protocol == Protocol::paper) {
      ours = paper(result);
    } else {
      ours = paper_repeated(result);
    }
    std::vector<MethodPredictions> methods{{"gckn", std::move(ours)}};
    if (cv_.baselines) add_baselines(result, methods);
    report();
    if (unconverged_ > 0) {
      result.remarks.push_back(
          fmt::format("{} did not converge: C may be too large", counted(unconverged_, "linear model")));
    }
    result.targets = summarise(experiment_, result.folds, result.repeats, methods, cv_.seed);
    fill_predictions(methods[0].scores, result);
    return result;
  }

 private:
  void choose_folds(CrossValidationResult& result) const {
    if (cv_.repeats && (*cv_.repeats < 1 || *cv_.repeats > kMostRepeats)) {
      throw UsageError(fmt::format("{} repeats: must be 1 to {}", *cv_.repeats, kMostRepeats));
    }
    const bool repeated = cv_.protocol == Protocol::paper_repeated;
    if (repeated && !cv_.given_folds.empty()) {
      throw UsageError("the paper-repeated protocol makes its own folds: do not give any");
    }
    const bool own = cv_.given_folds.empty() && cv_.use_own_folds && !repeated;
    const std::vector<Fold>& given = own ? graphs_.folds() : cv_.given_folds;
    if (!given.empty()) {
      if (cv_.repeats.value_or(1) > 1) throw UsageError("given folds cannot be repeated with other shuffles");
      result.folds = check_folds(given, experiment_.targets, graphs_.num_graphs());
      return;
    }
    result.made_folds = true;
    result.repeats = repeated ? 1 : cv_.repeats.value_or(1);
    append_folds(0, result.folds);
    for (int r = 1; r < result.repeats; ++r) append_folds(kMostRepeats + r, result.folds);
  }

  // Shuffles 1 to kMostRepeats are those paper_repeated reports on, so with the same seed, and so with the same
  // anchors, they are new to parameters that were chosen by the repeats of another protocol.
  void append_folds(int shuffle, std::vector<Fold>& folds) const {
    const std::vector<Fold> fresh = make_folds(experiment_.targets, with_target_, cv_.folds,
                                               seeds::of_shuffle(cv_.seed, static_cast<std::uint64_t>(shuffle)));
    folds.insert(folds.end(), fresh.begin(), fresh.end());
  }

  [[nodiscard]] nlohmann::ordered_json journal_header(const std::vector<Fold>& folds) const {
    nlohmann::ordered_json splits = nlohmann::ordered_json::array();
    for (const Fold& fold : folds) splits.push_back({{"train", fold.train}, {"test", fold.test}});
    return {
        {"gckn_journal", 1},
        {"gckn_version", kVersion},
        {"set", graphs_.name()},
        {"graphs", graphs_.num_graphs()},
        {"fingerprint", fmt::format("{:016x}", fingerprint(graphs_))},
        {"protocol", to_string(cv_.protocol)},
        {"seed", cv_.seed},
        {"folds", std::move(splits)},
        {"repeats", cv_.repeats.value_or(0)},
        {"inner_folds", cv_.inner_folds},
        {"learner", to_string(experiment_.learner)},
        {"select_by", to_string(experiment_.selected_by())},
        {"balanced", cv_.learning.balanced},
        {"weights", cv_.learning.graph_weights},
        {"fit", {fit_.max_iterations, fit_.tolerance, fit_.seeding_points, fit_.max_points, fit_.sample_points}},
        {"C", cv_.learning.C},
    };
  }

  void report() const { report_progress(options_, stage_, done_.load(), total_); }

  CompiledSet compile(const NetworkConfig& config) { return patterns_.compile(config, quiet_); }

  Matrix vectors_of_all(const NetworkConfig& config) {
    return fit_on_and_embed(graphs_, config, {}, compile(config), fit_, anchors_of_all_, quiet_).second;
  }

  // Runs `body` for network k, unless the graphs have too many paths for it or none, as they have for all like it with
  // longer paths. Returns whether it was run to its end.
  template <typename Body>
  bool try_network(std::size_t k, CrossValidationResult& result, const Body& body) {
    const NetworkConfig& config = cv_.networks[k];
    if (std::ranges::any_of(unsuitable_, [&](const NetworkConfig& other) { return is_at_least(config, other); })) {
      return false;
    }
    try {
      body();
      return true;
    } catch (const UnsuitableNetwork& error) {
      why_unsuitable_ = error.what();
      unsuitable_.push_back(config);
      const LayerConfig& first = config.layers.front();
      std::string remark = fmt::format("networks of {} with {}s of {} or more edges{} are left out: {}",
                                       counted(config.layers.size(), "layer"), to_string(first.kind), first.path_length,
                                       first.pooling == Pooling::max || first.pooling == Pooling::gmp
                                           ? fmt::format(" and {} pooling", to_string(first.pooling))
                                           : "",
                                       error.what());
      if (std::ranges::find(result.remarks, remark) == result.remarks.end()) {
        result.remarks.push_back(std::move(remark));
      }
      return false;
    }
  }

  void require_one(const Best& best) const {
    if (!best.found) throw InputError(why_unsuitable_);
  }

  // The network and C with the best mean over the test graphs of the folds. Fills in result.networks.
  Best search_on(const std::vector<Fold>& folds, CrossValidationResult& result) {
    Best best;
    for (std::size_t k = 0; k < cv_.networks.size(); ++k) result.networks.push_back({k, NAN, {}});
    for (const std::size_t k : order_) {
      report();
      const std::string unit = name_of(cv_.networks[k]);
      const Evaluation* known = journal_->find(unit);
      Evaluation evaluation;
      if (known != nullptr) {
        evaluation = *known;
      } else {
        if (!try_network(k, result, [&] {
              evaluation = evaluate(vectors_of_all(cv_.networks[k]), experiment_, folds, folds, quiet_);
            })) {
          ++done_;
          continue;
        }
        journal_->record(unit, evaluation, best.is_beaten_by(k, evaluation.score));
      }
      unconverged_ += evaluation.unconverged;
      result.networks[k] = {k, evaluation.score, evaluation.score_by_c};
      if (best.is_beaten_by(k, evaluation.score)) best = {k, std::move(evaluation), true};
      ++done_;
    }
    require_one(best);
    if (best.evaluation.predictions.empty()) {  // the journal has it, but not as the best of its search
      best.evaluation = evaluate(vectors_of_all(cv_.networks[best.network]), experiment_, folds, folds, quiet_);
    }
    return best;
  }

  std::vector<std::vector<DoubleMatrix>> paper(CrossValidationResult& result) {
    stage_ = "networks";
    Best best = search_on(result.folds, result);
    set_choice(best.network, best.evaluation.C, result);
    return std::move(best.evaluation.predictions);
  }

  // Parameters as for `paper` on the first split; then they are fixed.
  std::vector<std::vector<DoubleMatrix>> paper_repeated(CrossValidationResult& result) {
    stage_ = "networks";
    search_folds_ = std::exchange(result.folds, {});
    const Best best = search_on(search_folds_, result);
    result.repeats = cv_.repeats.value_or(10);
    for (int r = 0; r < result.repeats; ++r) append_folds(r + 1, result.folds);
    const Matrix vectors = vectors_of_all(cv_.networks[best.network]);
    set_choice(best.network, best.evaluation.C, result);
    std::vector<std::vector<DoubleMatrix>> predictions(result.folds.size());
    // One target after the other, each with its own C.
    for (std::size_t t = 0; t < experiment_.targets.size(); ++t) {
      Experiment one = experiment_;
      one.targets = {experiment_.targets[t]};
      one.learning.C = {best.evaluation.C[t]};
      Evaluation evaluation = evaluate(vectors, one, result.folds, result.folds, quiet_);
      unconverged_ += evaluation.unconverged;
      for (std::size_t f = 0; f < result.folds.size(); ++f) {
        predictions[f].push_back(std::move(evaluation.predictions[f][0]));
      }
    }
    return predictions;
  }

  static void set_choice(std::size_t network, const std::vector<double>& c, CrossValidationResult& result) {
    result.results.resize(result.folds.size());
    for (FoldResult& fold : result.results) {
      fold.network = network;
      for (const double value : c) fold.targets.push_back({value, {}, {}, {}});
    }
  }

  std::vector<std::vector<DoubleMatrix>> nested(CrossValidationResult& result) {
    stage_ = "networks and folds";
    std::vector<std::vector<Fold>> inner;
    for (std::size_t f = 0; f < result.folds.size(); ++f) inner.push_back(inner_folds(result.folds[f], f));
    anchors_.resize(result.folds.size());
    std::vector<Best> best(result.folds.size());
    std::uint64_t tried = 0;
    for (const std::size_t k : order_) {
      try_network(k, result, [&] { nested_network(k, result.folds, inner, best); });
      done_ = ++tried * result.folds.size();  // also if some of its folds were not reached
    }
    require_one(best[0]);
    std::vector<std::vector<DoubleMatrix>> predictions;
    result.results.resize(result.folds.size());
    for (std::size_t f = 0; f < result.folds.size(); ++f) {
      if (best[f].evaluation.predictions.empty()) {
        const NetworkConfig& config = cv_.networks[best[f].network];
        best[f].evaluation = nested_unit(config, compile(config), result.folds[f], f, inner[f]);
      }
      result.results[f].network = best[f].network;
      for (const double value : best[f].evaluation.C) result.results[f].targets.push_back({value, {}, {}, {}});
      predictions.push_back(std::move(best[f].evaluation.predictions[0]));
    }
    return predictions;
  }

  [[nodiscard]] std::vector<Fold> inner_folds(const Fold& fold, std::size_t f) const {
    return make_folds(experiment_.targets, fold.train, feasible_folds(experiment_.targets, fold.train, cv_.inner_folds),
                      seeds::of_inner_folds(cv_.seed, f));
  }

  static std::string unit_name(const NetworkConfig& config, std::size_t fold) {
    return fmt::format("{} fold {}", name_of(config), fold + 1);
  }

  // One network on all folds, those of the journal excepted.
  void nested_network(std::size_t k, const std::vector<Fold>& folds, const std::vector<std::vector<Fold>>& inner,
                      std::vector<Best>& best) {
    const NetworkConfig& config = cv_.networks[k];
    // Kept apart until all folds have one: a network that one fold cannot learn is no candidate for the others.
    std::vector<Evaluation> evaluations(folds.size());
    std::vector<std::size_t> missing;
    for (std::size_t f = 0; f < folds.size(); ++f) {
      const Evaluation* known = journal_->find(unit_name(config, f));
      if (known == nullptr) {
        missing.push_back(f);
      } else {
        evaluations[f] = *known;
        ++done_;
      }
    }
    report();
    if (!missing.empty()) nested_folds(k, missing, folds, inner, best, evaluations);
    for (std::size_t f = 0; f < folds.size(); ++f) {
      unconverged_ += evaluations[f].unconverged;
      if (best[f].is_beaten_by(k, evaluations[f].score)) best[f] = {k, std::move(evaluations[f]), true};
    }
  }

  void nested_folds(std::size_t k, std::vector<std::size_t> missing, const std::vector<Fold>& folds,
                    const std::vector<std::vector<Fold>>& inner, const std::vector<Best>& best,
                    std::vector<Evaluation>& evaluations) {
    const NetworkConfig& config = cv_.networks[k];
    const CompiledSet compiled = compile(config);
    std::atomic<bool> large{false};
    const auto one_fold = [&](std::size_t f) {
      evaluations[f] = nested_unit(config, compiled, folds[f], f, inner[f], &large);
      journal_->record(unit_name(config, f), evaluations[f], best[f].is_beaten_by(k, evaluations[f].score));
      ++done_;
      if (std::this_thread::get_id() == caller_) report();
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

  // Anchors from the training graphs, C by the inner folds. All graphs are embedded in one pass; the test graphs' rows
  // are predicted, but nothing is chosen by them.
  Evaluation nested_unit(const NetworkConfig& config, const CompiledSet& compiled, const Fold& fold, std::size_t f,
                         const std::vector<Fold>& inner, std::atomic<bool>* large = nullptr) {
    std::vector<char> is_training(graphs_.num_graphs());
    for (const std::uint32_t g : fold.train) is_training[g] = 1;
    const Matrix vectors = fit_on_and_embed(graphs_, config, is_training, compiled, fit_, anchors_[f], quiet_).second;
    if (large != nullptr && vectors.size() > kLargeVectors) *large = true;
    return evaluate(vectors, experiment_, inner, {fold}, quiet_);
  }

  // Predictors that need no network, tuned as ours are.
  void add_baselines(CrossValidationResult& result, std::vector<MethodPredictions>& methods) {
    stage_ = "baselines";
    done_ = 0;
    report();
    MethodPredictions constant{experiment_.learner == Learner::ridge ? "mean" : "majority class", {}};
    for (const Fold& fold : result.folds) {
      constant.scores.emplace_back();
      for (const TargetColumn& target : experiment_.targets) {
        constant.scores.back().push_back(
            constant_scores(target, target.present(fold.train), target.tested(fold).size()));
      }
    }
    methods.push_back(std::move(constant));
    Experiment experiment = experiment_;
    experiment.learning.C = baseline_c_grid();
    const std::vector<Baseline> baselines = make_baselines(graphs_, quiet_, result.remarks);
    total_ = baselines.size() * result.folds.size();
    for (const Baseline& baseline : baselines) {
      MethodPredictions predictions{baseline.name, {}};
      if (result.optimistic) {
        predictions.scores =
            baseline_unit(baseline, experiment, search_folds_.empty() ? result.folds : search_folds_, result.folds, "");
        done_ += result.folds.size();
        report();
      } else {
        for (std::size_t f = 0; f < result.folds.size(); ++f) {
          report();
          predictions.scores.push_back(std::move(baseline_unit(baseline, experiment, inner_folds(result.folds[f], f),
                                                               {result.folds[f]}, fmt::format(" fold {}", f + 1))[0]));
          ++done_;
        }
      }
      methods.push_back(std::move(predictions));
    }
  }

  std::vector<std::vector<DoubleMatrix>> baseline_unit(const Baseline& baseline, const Experiment& experiment,
                                                       const std::vector<Fold>& selection,
                                                       const std::vector<Fold>& prediction, const std::string& which) {
    const std::string unit = baseline.name + which;
    if (const Evaluation* known = journal_->find(unit)) return known->predictions;
    Evaluation evaluation =
        evaluate(baseline.vectors, experiment, selection, prediction, quiet_, baseline.standardised);
    journal_->record(unit, evaluation, true);
    return std::move(evaluation.predictions);
  }

  void fill_predictions(std::vector<std::vector<DoubleMatrix>>& scores, CrossValidationResult& result) const {
    for (std::size_t f = 0; f < result.folds.size(); ++f) {
      for (std::size_t t = 0; t < experiment_.targets.size(); ++t) {
        FoldPrediction& prediction = result.results[f].targets[t];
        prediction.graphs = experiment_.targets[t].tested(result.folds[f]);
        prediction.scores = std::move(scores[f][t]);
        if (experiment_.targets[t].is_classes()) prediction.predicted = classes_of_scores(prediction.scores);
      }
    }
  }

  const GraphSet& graphs_;
  const CrossValidationOptions& cv_;
  const RunOptions& options_;
  const Experiment experiment_;
  const std::vector<std::uint32_t> with_target_;
  const std::vector<std::size_t> order_;
  SharedPatterns patterns_;
  AnchorStore<float> anchors_of_all_;
  std::vector<AnchorStore<float>> anchors_;  // of the training graphs, by fold
  Journal* journal_ = nullptr;
  std::vector<NetworkConfig> unsuitable_;  // for these graphs
  std::string why_unsuitable_;             // the last of them
  std::vector<Fold> search_folds_;         // of paper_repeated, whose other folds are for the figures
  std::atomic<std::size_t> unconverged_{0};
  RunOptions quiet_;
  FitOptions fit_;
  const std::thread::id caller_;
  std::atomic<bool> cancelled_{false};
  const char* stage_ = "";
  std::atomic<std::uint64_t> done_{0};
  std::uint64_t total_ = 0;
};

}  // namespace

std::string_view to_string(Protocol protocol) {
  return word_of(kProtocols, protocol);
}

Protocol parse_protocol(std::string_view word) {
  return value_of(kProtocols, "protocol", word);
}

CrossValidationResult cross_validate(const GraphSet& graphs, const CrossValidationOptions& cv,
                                     const RunOptions& options) {
  if (cv.networks.empty()) throw UsageError("there is no network to cross-validate");
  for (const NetworkConfig& config : cv.networks) validate(config);
  const ThreadScope threads(options);
  return CrossValidation(graphs, cv, options).run();
}

}  // namespace gckn
