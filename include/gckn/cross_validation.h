// SPDX-License-Identifier: BSD-3-Clause
// How well graph vectors predict, measured by cross-validation, and the search for the network that does it best.
// docs/evaluation.md explains the protocols.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/learning.h"
#include "gckn/matrix.h"
#include "gckn/network.h"
#include "gckn/run_options.h"
#include "gckn/supervised.h"

namespace gckn {

enum class Protocol {
  nested,          // everything is chosen within the training graphs of each fold; the honest estimate
  paper,           // as published: anchors from all graphs, and the parameters with the best mean over the test folds
  paper_repeated,  // parameters as for `paper`, then ten times ten folds with them
};
std::string_view to_string(Protocol protocol);
Protocol parse_protocol(std::string_view word);  // throws UsageError listing the possible words

// Graphs that belong together are on one side of every split.
struct FoldGroups {
  std::vector<std::uint32_t> of_graph{};  // a number of its group, by graph; empty: every graph is its own
  // Groups with more than half as many graphs as a fold are never tested, if there are others enough: what is tested is
  // then unlike most of what is learnt from. With scaffolds as groups this is what MoleculeNet's splits do.
  bool test_small_ones_only = false;
};

// Vectors of the same graphs made elsewhere, to compare with.
struct GivenBaseline {
  std::string name;
  Matrix vectors;             // one row per graph
  bool standardised = false;  // as ours are
};

// The most graphs that kernel machines learn from, those of the Gaussian head and of the WL baseline: time grows with
// the cube of their number, and memory is about 32 bytes for each pair of graphs, 800 MB at most.
inline constexpr std::size_t kMostKernelGraphs = 5000;

// What `gckn cv` and `gckn train` try unless they are told otherwise: states of nodes, alone and with the vectors of a
// network, with a Gaussian head, and of few graphs states with a linear model; of more graphs than kMostKernelGraphs,
// and for logistic regression, linear models on states or vectors; of attributes without labels, and of degrees,
// vectors alone, linear or with a Gaussian head. input: features, attributes and edge labels of all of them. learning
// gets what goes with them: of the default values of C the short list, and how scores are compared.
std::vector<NetworkConfig> default_candidates(const GraphSet& graphs, const NetworkConfig& input,
                                              LearningOptions& learning);

struct CrossValidationOptions {
  Protocol protocol = Protocol::nested;
  std::vector<NetworkConfig> networks{};  // candidates, at least one
  LearningOptions learning{};

  // Train end to end instead: candidates are networks, penalties and numbers of epochs, and C is for the baselines
  // only. Anchors begin with those of a fold's training graphs under every protocol. `paper` takes the number of epochs
  // with the best mean over the folds, `nested` the best one on the first inner folds.
  std::optional<SupervisedOptions> supervised{};

  // Splits: those given here; otherwise the set's own, unless they are not wanted; otherwise `folds` of about equal
  // size (stratified if there is one target with classes), `repeats` times with different shuffles. Those that
  // paper_repeated reports on are, with the same seed, never those of another protocol.
  std::vector<Fold> given_folds{};
  bool use_own_folds = true;
  int folds = 10;
  FoldGroups groups{};           // for new folds, inner ones too; those are then of about equal size only
  std::optional<int> repeats{};  // otherwise 1, or 10 for paper_repeated
  int inner_folds = 5;           // of the nested protocol's search; fewer where a class is smaller
  std::uint64_t seed = 0;
  FitOptions fit{};  // its seed is replaced by the one above

  std::vector<GivenBaseline> given_baselines{};
  // Those, majority class (or mean), label histogram and WL optimal assignment, in the same folds.
  bool baselines = true;

  // Where the result of every network and fold is written as it comes (JSON lines). With `resume` those that it
  // already has are not computed again; without, a journal that exists is an error.
  std::filesystem::path journal{};
  bool resume = false;
};

// One metric of one method: its values by fold and their summary. The interval is of 95 %: Student's, with the variance
// corrected for overlapping training graphs (Nadeau and Bengio), or the bootstrap's where there is one fold. Of an
// accuracy that is the same in all folds, or of one fold, it is the exact binomial one of the tested graphs. NaN where
// nothing can be said: for another metric that does not vary, or too few graphs.
struct MetricSummary {
  Metric metric = Metric::accuracy;
  std::vector<double> by_fold;  // NaN where it is undefined (ROC-AUC of a single class)
  double mean = 0;              // of the folds where it is defined
  double deviation = 0;         // between folds, or between the means of repeats (n - 1); NaN if there is one
  double low = 0, high = 0;
};

struct MethodResult {
  std::string name;  // "gckn", "majority class", "label histogram", ...
  std::vector<MetricSummary> metrics;
};

// gckn against a baseline by the metric that parameters were chosen by: corrected resampled t-test over the folds. With
// one fold, or a difference that is the same in all folds, McNemar's test on the tested graphs, if that metric is the
// accuracy; the interval is then NaN, and otherwise p is NaN, too.
struct Comparison {
  std::string baseline;
  double difference = 0;  // gckn minus baseline
  double low = 0, high = 0;
  double p_value = 1;
};

struct TargetResult {
  std::string name;
  std::vector<std::string> class_names;  // empty for numbers
  Metric selected_by = Metric::accuracy;
  std::vector<MethodResult> methods;  // the first is gckn
  std::vector<Comparison> comparisons;
};

// What was predicted for the test graphs of a fold that have the target; for none if no training graph has it.
struct FoldPrediction {
  double C = 0;  // none with end-to-end training
  std::vector<std::uint32_t> graphs;
  DoubleMatrix scores;                  // graphs x outputs: one for two classes or numbers, otherwise one per class
  std::vector<std::int32_t> predicted;  // class index; empty for numbers
};

struct FoldResult {
  std::size_t network = 0;  // index into the candidates
  double penalty = 0;       // with end-to-end training: what was chosen with it
  int epochs = 0;
  std::vector<FoldPrediction> targets;  // by target
};

// How a candidate did in the search, for studies of parameters.
struct NetworkScore {
  std::size_t network = 0;
  double penalty = 0;  // with end-to-end training, where every penalty makes another candidate
  // Mean over folds (and targets) of what was selected by, at the best C (or epoch), turned so that more is better:
  // errors and log loss have a minus, and errors are in units of the target's deviation. NaN: left out.
  double score = 0;
  // Mean over folds, of the first target, by the values of C that were tried; with end-to-end training by epoch, over
  // all targets. Of the paper protocols.
  std::vector<double> score_by_c;
  std::vector<double> loss_by_epoch{};  // of the training graphs, mean over folds
};

struct CrossValidationResult {
  bool optimistic = false;  // the protocol looked at test graphs to choose parameters
  bool made_folds = false;  // the folds were made here, not given
  int repeats = 1;
  std::vector<Fold> folds;
  std::vector<FoldResult> results;     // by fold
  std::vector<TargetResult> targets;   // one, or one for each column of numbers
  std::vector<NetworkScore> networks;  // by candidate; of the paper protocols only
  std::vector<std::string> remarks;    // what was left out, and why
};

// Throws InputError if there is nothing to learn, if a fold names a graph twice or one that is not there, if two folds
// test the same graph, or if the journal belongs to another experiment or is in use; UsageError for options that make
// no sense.
CrossValidationResult cross_validate(const GraphSet& graphs, const CrossValidationOptions& cv,
                                     const RunOptions& options = {});

// Figures, and the whole result: folds, every prediction and the candidates, as `gckn cv --json` has them.
// Numbers that are not finite are null.
std::string to_json(const TargetResult& target);
std::string to_json(const CrossValidationResult& result, const CrossValidationOptions& cv);

// The epochs of all candidates of a search with end-to-end training as a table (candidate, network, penalty, epoch,
// loss of the training graphs, score), and those of the chosen one as a picture. Of the paper protocols only.
std::string search_history_csv(const CrossValidationResult& result);
std::string search_history_svg(const CrossValidationResult& result, const std::string& title);

}  // namespace gckn
