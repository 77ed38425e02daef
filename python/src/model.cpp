// SPDX-License-Identifier: BSD-3-Clause
// Trained models.
#include "gckn/model.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "gckn/model_file.h"
#include "learning_args.h"
#include "run.h"

namespace gckn::python {
namespace {

nb::dict prediction_dict(TargetPredictions target) {
  nb::dict result;
  result["name"] = target.name;
  result["class_names"] = target.class_names;
  result["scores"] = to_array(std::move(target.scores));
  result["predicted"] = to_array(std::move(target.predicted));
  result["probabilities"] =
      target.probabilities.empty() ? nb::object(nb::none()) : to_array(std::move(target.probabilities));
  return result;
}

nb::dict predict(const Model& model, const GraphSet& graphs, const nb::tuple& run) {
  Predictions predictions =
      run_unlocked(run, [&](const RunOptions& options) { return model.predict(graphs, options); });
  nb::dict result;
  nb::list targets;
  for (TargetPredictions& target : predictions.targets) targets.append(prediction_dict(std::move(target)));
  result["targets"] = targets;
  result["unpredicted"] = predictions.unpredicted;
  result["reasons"] = predictions.reasons;
  result["states"] = predictions.states;
  result["unknown_states"] = predictions.unknown_states;
  return result;
}

// What a model says of itself.
nb::dict describe(const Model& model) {
  nb::dict result;
  result["config"] = to_json(model.network().config());
  result["learner"] = std::string(to_string(model.learner()));
  result["seed"] = model.seed();
  nb::list targets;
  for (const TargetModel& target : model.targets()) {
    nb::dict entry;
    entry["name"] = target.name;
    entry["class_names"] = target.class_names;
    entry["C"] = target.C;
    entry["has_probabilities"] =
        !target.class_names.empty() && (!target.calibration.empty() || model.learner() == Learner::logistic);
    targets.append(entry);
  }
  result["targets"] = targets;
  const TrainingRecord& record = model.record();
  result["graphs"] = record.graphs;
  result["candidates"] = record.candidates;
  result["folds"] = record.folds;
  result["figures"] = record.figures;
  result["epochs"] = record.epochs;
  return result;
}

nb::tuple train_model(const GraphSet& graphs, const nb::dict& options, const nb::tuple& run) {
  TrainOptions train;
  train.learning = learning_from(options);
  train.supervised = supervised_from(options);
  train.networks = candidates_from(graphs, options, train.learning);
  take(options, "folds", train.folds);
  take(options, "seed", train.seed);
  take(options, "validation", train.validation);
  take(options, "patience", train.patience);
  TrainResult result = run_unlocked(run, [&](const RunOptions& how) { return gckn::train(graphs, train, how); });
  nb::list history;
  for (const EpochRecord& epoch : result.history) {
    nb::dict entry;
    entry["epoch"] = epoch.epoch;
    entry["learning_rate"] = epoch.learning_rate;
    entry["loss"] = epoch.loss;
    if (epoch.validation_loss) entry["validation_loss"] = *epoch.validation_loss;
    if (epoch.validation_figure) entry["validation_figure"] = *epoch.validation_figure;
    history.append(entry);
  }
  nb::dict record;
  record["remarks"] = result.remarks;
  record["history"] = history;
  record["diverged"] = result.diverged;
  return nb::make_tuple(std::move(result.model), record);
}

nb::bytes bytes_of_model(const Model& model) {
  const std::string bytes = model_bytes(model);
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model")
      .def("predict", &predict)
      .def("describe", &describe)
      .def_prop_ro("network", &Model::network, nb::rv_policy::reference_internal)
      .def("save", [](const Model& model, const std::filesystem::path& path) { save_model(model, path); })
      // Pickled as what its file would hold.
      .def("__getstate__", &bytes_of_model)
      .def("__setstate__",
           [](Model& unpickled, const nb::bytes& bytes) {
             new (&unpickled) Model(model_from_bytes(std::string(bytes.c_str(), bytes.size())));
           })
      .def("to_bytes", &bytes_of_model);
  module.def("train", &train_model);
  module.def("load_model", [](const std::filesystem::path& path) { return load_model(path); });
  module.def("model_from_bytes",
             [](const nb::bytes& bytes) { return model_from_bytes(std::string(bytes.c_str(), bytes.size())); });
}

}  // namespace gckn::python
