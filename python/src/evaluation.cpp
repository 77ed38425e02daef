// SPDX-License-Identifier: BSD-3-Clause
// Cross-validation.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bindings.h"
#include "gckn/cross_validation.h"
#include "gckn/molecules.h"
#include "learning_args.h"
#include "run.h"

namespace gckn::python {
namespace {

// The result as JSON.
std::string cross_validate_graphs(const GraphSet& graphs, const nb::dict& options, const nb::tuple& run) {
  CrossValidationOptions cv;
  cv.learning = learning_from(options);
  cv.supervised = supervised_from(options);
  cv.networks = candidates_from(graphs, options, cv.learning);
  std::string protocol{to_string(cv.protocol)};
  take(options, "protocol", protocol);
  cv.protocol = parse_protocol(protocol);
  take(options, "use_own_folds", cv.use_own_folds);
  take(options, "folds", cv.folds);
  take(options, "inner_folds", cv.inner_folds);
  take(options, "seed", cv.seed);
  take(options, "baselines", cv.baselines);
  take(options, "resume", cv.resume);
  take(options, "groups", cv.groups.of_graph);
  take(options, "test_small_groups_only", cv.groups.test_small_ones_only);
  if (options.contains("repeats")) cv.repeats = nb::cast<int>(options["repeats"]);
  if (options.contains("journal")) cv.journal = nb::cast<std::filesystem::path>(options["journal"]);
  using Indices = std::vector<std::uint32_t>;
  std::vector<std::pair<Indices, Indices>> given;
  take(options, "given_folds", given);
  for (auto& [train, test] : given) cv.given_folds.push_back({std::move(train), std::move(test)});
  return run_unlocked(run, [&](const RunOptions& how) {
    if (cv.baselines && !graphs.smiles().empty() && has_rdkit()) {
      cv.given_baselines = {{"Morgan fingerprints", morgan_fingerprints(graphs.smiles(), {}, how)}};
    }
    return to_json(cross_validate(graphs, cv, how), cv);
  });
}

// The options that name what a search with these options tries: networks, values of C, and how scores are compared.
nb::dict candidates(const GraphSet& graphs, const nb::dict& options) {
  LearningOptions learning = learning_from(options);
  std::vector<std::string> networks;
  for (const NetworkConfig& config : candidates_from(graphs, options, learning)) networks.push_back(to_json(config));
  nb::dict named;
  named["networks"] = networks;
  named["C"] = learning.C;
  named["score_resolution"] = learning.score_resolution;
  named["linear_lead"] = learning.linear_lead;
  return named;
}

}  // namespace

void bind_evaluation(nb::module_& module) {
  module.def("cross_validate", &cross_validate_graphs);
  module.def("candidates", &candidates);
}

}  // namespace gckn::python
