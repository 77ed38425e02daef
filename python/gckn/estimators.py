# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn estimators: graphs to vectors, classes and numbers."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from . import _engine
from ._checks import checked, file_name, one_or_several
from ._convert import as_graph_set
from ._convert.reading import Reading
from ._parameters import NETWORK, network_config, parameters_of
from ._runs import Progress, Run, make_run
from ._targets import Targets, class_targets, number_targets, own_targets, targets_of_model
from ._unknown import warn_of_labels, warn_of_states
from .graphs import GraphSet

Array = npt.NDArray[Any]


def _seed(random_state: Any) -> int:
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state is {random_state}, and not a whole number from 0 of at most 64 bits")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


class _GraphEstimator(BaseEstimator):  # type: ignore[misc]
    """What all have in common. Graphs are lists, so that scikit-learn's checks of tables do not apply."""

    n_jobs: int | None
    verbose: int
    progress: Progress | None
    max_paths: int | None
    random_state: Any

    def _run(self) -> Run:
        return make_run(self.n_jobs, self.verbose, self.progress, self.max_paths)

    def _require_fitted(self, attribute: str) -> Any:
        if not hasattr(self, attribute):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")
        return getattr(self, attribute)

    def _read(self, X: Any, network: _engine.Network) -> GraphSet:
        """New graphs, as those were read that a network has learnt from."""
        graphs = as_graph_set(X, Reading.of_network(network))
        warn_of_labels(network, graphs)
        return graphs

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "network_") or hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # of scikit-learn before 1.6
        return {"X_types": ["graphs"], "no_validation": True}


class GCKNTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _GraphEstimator):  # type: ignore[misc]
    """Graphs to vectors, learnt without targets.

    Parameters are those of `gckn embed`; docs/mathematics.md has the formulas.

    arch: "walk", "path", "subtree" (paths, then a layer of single nodes) or "three-layer". path_length: edges of the
    longest paths. filters: anchors of each layer, which are its columns. sigma: width of the Gaussian kernel between
    nodes. pooling, global_pooling: "mean", "sum", "max" or "gmp", of paths to a node and of nodes to a graph.
    one_length: only paths of path_length edges, instead of all up to it. concat_layers: vectors of all layers, and not
    of the last.
    features: of nodes, "labels", "attributes", "degree", or "auto"; edge-attributes and graph-attributes go with "+".
    edge_labels: whether they are used; None: those of molecules. max_paths: a limit of the work. random_state: of the
    anchors, 0 for None. n_jobs: threads; None: OMP_NUM_THREADS or all cores. verbose=1 shows a bar.
    progress(stage, done, total) is called now and then, and ends the work by raising something.

    >>> import gckn
    >>> graphs = gckn.datasets.motif(graphs=20)
    >>> gckn.GCKNTransformer(path_length=2, filters=8).fit_transform(graphs).shape
    (20, 24)
    """

    def __init__(
        self,
        *,
        arch: str = "subtree",
        path_length: int = 3,
        filters: int = 128,
        sigma: float = 0.6,
        pooling: str = "mean",
        global_pooling: str = "sum",
        one_length: bool = False,
        concat_layers: bool = False,
        features: str = "auto",
        edge_labels: bool | None = None,
        max_paths: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self.arch = arch
        self.path_length = path_length
        self.filters = filters
        self.sigma = sigma
        self.pooling = pooling
        self.global_pooling = global_pooling
        self.one_length = one_length
        self.concat_layers = concat_layers
        self.features = features
        self.edge_labels = edge_labels
        self.max_paths = max_paths
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    def _config(self) -> str:
        return network_config(
            **{name: getattr(self, name) for name in NETWORK},
            features=self.features,
            edge_labels=self.edge_labels,
            compare="vectors",
            head="linear",
        )

    def fit(self, X: Any, y: Any = None) -> GCKNTransformer:
        """Learns the anchors from graphs of any kind that GraphSet takes. y is ignored."""
        graphs = as_graph_set(X)
        self.network_ = _engine.fit_network(graphs._set, self._config(), _seed(self.random_state), self._run())
        return self

    def transform(self, X: Any) -> Array:
        """One row of float32 per graph."""
        network = self._require_fitted("network_")
        vectors: Array = network.embed(self._read(X, network)._set, self._run())
        return vectors

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Array:
        """The same as fit and transform, in one pass."""
        graphs = as_graph_set(X)
        self.network_, vectors = _engine.fit_and_embed(
            graphs._set, self._config(), _seed(self.random_state), self._run()
        )
        return vectors  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str]) -> None:
        """A file for `gckn embed --model` and for GCKNTransformer.load."""
        self._require_fitted("network_").save(file_name(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GCKNTransformer:
        """Of a network or a trained model of the command or of Python. Its parameters are those of the file, where
        they say what that holds."""
        network = _engine.load_network(file_name(path))
        parameters = parameters_of(network)
        if parameters.pop("compare", None) != "vectors":
            parameters = {}
        parameters.pop("head", None)
        transformer = cls(**parameters)
        transformer.network_ = network
        return transformer

    @property
    def _n_features_out(self) -> int:
        return int(self._require_fitted("network_").vector_size)


class _GCKNModel(_GraphEstimator):
    """A trained model. With no network named, the candidates of `gckn train` are tried and the best is taken by
    cross-validation within the training graphs."""

    def __init__(
        self,
        *,
        compare: str | None = None,
        head: str | None = None,
        arch: str | None = None,
        path_length: int | None = None,
        filters: int | None = None,
        sigma: float | None = None,
        pooling: str | None = None,
        global_pooling: str | None = None,
        one_length: bool | None = None,
        concat_layers: bool | None = None,
        features: str = "auto",
        edge_labels: bool | None = None,
        learner: str = "auto",
        C: Any = None,
        select_by: str | None = None,
        folds: int = 5,
        supervised: bool = False,
        epochs: int = 350,
        batch_size: int = 32,
        learning_rate: float = 0.01,
        halve_every: int = 50,
        penalty: float = 1e-4,
        standardise: bool = False,
        validation: float = 0.0,
        patience: int = 0,
        max_paths: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self.compare = compare
        self.head = head
        self.arch = arch
        self.path_length = path_length
        self.filters = filters
        self.sigma = sigma
        self.pooling = pooling
        self.global_pooling = global_pooling
        self.one_length = one_length
        self.concat_layers = concat_layers
        self.features = features
        self.edge_labels = edge_labels
        self.learner = learner
        self.C = C
        self.select_by = select_by
        self.folds = folds
        self.supervised = supervised
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.halve_every = halve_every
        self.penalty = penalty
        self.standardise = standardise
        self.validation = validation
        self.patience = patience
        self.max_paths = max_paths
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    def _networks(self) -> list[str]:
        """The one that the parameters name, or none, which leaves the choice to the graphs."""
        named = {name: getattr(self, name) for name in NETWORK if getattr(self, name) is not None}
        if not named and self.compare is None and self.head is None and not self.supervised:
            return []
        defaults = {**NETWORK, "filters": 32} if self.supervised else NETWORK
        compare = self.compare or "vectors"
        return [
            network_config(
                **{**defaults, **named},
                features=self.features,
                edge_labels=self.edge_labels,
                compare=compare,
                head=self.head or ("gaussian" if compare == "both" else "linear"),
            )
        ]

    def _learning(self) -> dict[str, Any]:
        """What the engine is told, but for the graphs' own weights."""
        given = checked(
            learner=self.learner,
            features=self.features,
            edge_labels=self.edge_labels,
            folds=self.folds,
            validation=self.validation,
            patience=self.patience,
            supervised=self.supervised,
        )
        options: dict[str, Any] = {
            "networks": self._networks(),
            "seed": _seed(self.random_state),
            "validation": float(given.pop("validation")),
        }
        supervised = given.pop("supervised")
        options.update({name: value for name, value in given.items() if value is not None})
        if self.C is not None:
            options["C"] = sorted(one_or_several("C", self.C))
        if self.select_by is not None:
            options.update(checked(select_by=self.select_by))
        if supervised:
            trained = checked(
                epochs=self.epochs,
                batch_size=self.batch_size,
                learning_rate=self.learning_rate,
                halve_every=self.halve_every,
                standardise=self.standardise,
            )
            trained["standardised"] = trained.pop("standardise")
            options["supervised"] = {**trained, "penalties": one_or_several("penalty", self.penalty)}
        return options

    def _targets(self, graphs: GraphSet, y: Any) -> Targets:
        raise NotImplementedError

    def _weights(self, targets: Targets, sample_weight: Any, count: int) -> Array | None:
        if sample_weight is None:
            return None
        weights = np.asarray(sample_weight, dtype=np.float64)
        if weights.shape != (count,):
            raise ValueError(f"sample_weight has the shape {weights.shape} for {count} graphs")
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError("sample_weight has a number that is negative or not finite")
        return weights

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """y: one target per graph, or a row of several with NaN for those that are missing; None: those of the set."""
        graphs = as_graph_set(X)
        targets = self._targets(graphs, y)
        weights = self._weights(targets, sample_weight, len(graphs))
        options = self._learning()
        held = targets.put_on(graphs._set)
        if weights is not None:
            kept = np.flatnonzero(weights > 0)  # a weight of nothing is no graph
            if len(kept) < len(weights):
                held, weights = held.select(kept.astype(np.uint32)), weights[kept]
            options["weights"] = weights.tolist()
        options.update(targets.options)
        model, record = _engine.train(held, options, self._run())
        if record["diverged"]:
            raise ValueError(record["diverged"])
        self._take(model, targets)
        self.history_ = record["history"]
        self.remarks_ = record["remarks"]
        return self

    def _take(self, model: _engine.Model, targets: Targets) -> None:
        self.model_ = model
        self.targets_ = targets

    @property
    def network_(self) -> dict[str, Any]:
        """What was chosen, as `gckn info` has it."""
        return json.loads(self._require_fitted("model_").describe()["config"])  # type: ignore[no-any-return]

    def _predictions(self, X: Any) -> list[dict[str, Any]]:
        model = self._require_fitted("model_")
        predictions = model.predict(self._read(X, model.network)._set, self._run())
        if predictions["unpredicted"]:
            raise ValueError(f"graph {predictions['unpredicted'][0]}: {predictions['reasons'][0]}")
        warn_of_states(predictions)
        return predictions["targets"]  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str]) -> None:
        """A model file, for `gckn predict` as for gckn.load_model."""
        self._require_fitted("model_").save(file_name(path))

    def transform(self, X: Any) -> Array:
        """The vectors of the model's network, where it compares vectors."""
        network = self._require_fitted("model_").network
        vectors: Array = network.embed(self._read(X, network)._set, self._run())
        return vectors


def _each(outputs: list[Array]) -> Any:
    """Of one target its output, of several one column for each."""
    return outputs[0] if len(outputs) == 1 else np.stack(outputs, axis=1)


class GCKNClassifier(ClassifierMixin, _GCKNModel):  # type: ignore[misc]
    """Classes of graphs.

    Without parameters it tries what `gckn train` tries and takes the best; docs/evaluation.md says what that is.

    compare: what graphs are compared by, "vectors", "states" (of nodes, each counted) or "both". head: "linear" or
    "gaussian". arch, path_length, filters, sigma, pooling, global_pooling, one_length and concat_layers name one
    network of vectors, as in GCKNTransformer, which has features, edge_labels, max_paths, n_jobs, verbose and progress.
    learner: "svm", "logistic", or "auto". C: how much errors cost; one value, or several to choose from. class_weight:
    "balanced", or a dict of classes and weights. select_by: the figure that the choice goes by, "accuracy", "roc-auc"
    and others. folds: of the cross-validation within the training graphs, by which all is chosen and probabilities are
    calibrated. random_state: of anchors and folds, 0 for None.

    supervised=True trains end to end (docs/training.md): epochs passes over the graphs in batches of batch_size,
    learning_rate halved after each halve_every epochs, penalty on the weights (one value or several to choose from),
    standardise for columns of unit variance. validation: a share of the graphs that is left out of it to find the best
    epoch; patience: epochs without a better one after which it ends, 0 for never.

    >>> import gckn
    >>> graphs = gckn.datasets.motif(graphs=80)
    >>> model = gckn.GCKNClassifier(compare="states", path_length=2).fit(graphs[:60], graphs.y[:60])
    >>> model.predict_proba(graphs[60:]).shape
    (20, 2)
    """

    def __init__(
        self,
        *,
        compare: str | None = None,
        head: str | None = None,
        arch: str | None = None,
        path_length: int | None = None,
        filters: int | None = None,
        sigma: float | None = None,
        pooling: str | None = None,
        global_pooling: str | None = None,
        one_length: bool | None = None,
        concat_layers: bool | None = None,
        features: str = "auto",
        edge_labels: bool | None = None,
        learner: str = "auto",
        C: Any = None,
        class_weight: str | Mapping[Any, float] | None = None,
        select_by: str | None = None,
        folds: int = 5,
        supervised: bool = False,
        epochs: int = 350,
        batch_size: int = 32,
        learning_rate: float = 0.01,
        halve_every: int = 50,
        penalty: float = 1e-4,
        standardise: bool = False,
        validation: float = 0.0,
        patience: int = 0,
        max_paths: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(**{name: value for name, value in locals().items() if name in _SHARED})
        self.class_weight = class_weight

    def _targets(self, graphs: GraphSet, y: Any) -> Targets:
        targets = own_targets(graphs, classes=True) if y is None else class_targets(y, len(graphs))
        if self.learner == "ridge":
            raise ValueError("learner 'ridge' is for numbers: GCKNRegressor has it")
        if self.class_weight == "balanced":
            targets.options["balanced"] = True
        return targets

    def _weights(self, targets: Targets, sample_weight: Any, count: int) -> Array | None:
        weights = super()._weights(targets, sample_weight, count)
        if self.class_weight is None or self.class_weight == "balanced":
            return weights
        if not isinstance(self.class_weight, Mapping) or targets.values.ndim != 1:
            raise ValueError("class_weight is 'balanced', or for one target a dict of classes and weights")
        classes = np.unique(targets.values).tolist()
        for value, weight in self.class_weight.items():
            if value not in classes:
                raise ValueError(f"class_weight has the class {value!r}, and y has the classes {classes}")
            if not isinstance(weight, Real) or not 0 <= weight < np.inf:
                raise ValueError(f"class_weight of class {value!r} is {weight!r}, and not a finite number from 0")
        by_class = np.array([float(self.class_weight.get(value, 1.0)) for value in targets.values.tolist()])
        return by_class if weights is None else by_class * weights

    def _take(self, model: _engine.Model, targets: Targets) -> None:
        super()._take(model, targets)
        classes = targets.classes_of(model)
        self.classes_ = classes[0] if len(classes) == 1 else classes

    def predict(self, X: Any) -> Array:
        """The class of each graph; of several targets one column for each."""
        return _each([classes[p["predicted"]] for classes, p in zip(self._classes(), self._predictions(X))])  # type: ignore[no-any-return]

    def decision_function(self, X: Any) -> Any:
        """With two classes the score of the second, otherwise one column per class; a list for several targets."""
        scores = [self._in_order(p["scores"], t) for t, p in enumerate(self._predictions(X))]
        return scores[0] if len(scores) == 1 else scores

    def predict_proba(self, X: Any) -> Any:
        """One column per class of `classes_`; a list for several targets."""
        if not all(target["has_probabilities"] for target in self._require_fitted("model_").describe()["targets"]):
            raise ValueError(
                "this model has no probabilities: a network trained end to end needs scores of graphs that it was not "
                "trained on, so validation=… or several candidates, or else learner='logistic'"
            )
        found = []
        for t, p in enumerate(self._predictions(X)):
            order = self.targets_.order(t, p["class_names"])
            found.append(np.zeros((0, len(order))) if p["probabilities"] is None else p["probabilities"][:, order])
        return found[0] if len(found) == 1 else found

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of predict_proba."""
        found = self.predict_proba(X)
        return [np.log(p) for p in found] if isinstance(found, list) else np.log(found)

    def _classes(self) -> list[Array]:
        """By target, in the model's own order."""
        model = self._require_fitted("model_")
        return self.targets_.model_classes(model)

    def _in_order(self, scores: Array, target: int) -> Array:
        names = self.model_.describe()["targets"][target]["class_names"]
        order = self.targets_.order(target, names)
        if scores.shape[1] > 1:
            return scores[:, order]
        return scores[:, 0] if order[0] == 0 else -scores[:, 0]


class GCKNRegressor(RegressorMixin, _GCKNModel):  # type: ignore[misc]
    """Numbers of graphs, one or several, NaN where one is missing. Parameters are those of GCKNClassifier.

    >>> import gckn, numpy as np
    >>> graphs = gckn.datasets.motif(graphs=60)
    >>> sizes = np.array([g.num_nodes for g in graphs], dtype=float)
    >>> gckn.GCKNRegressor(path_length=1, filters=8).fit(graphs, sizes).predict(graphs[:2]).shape
    (2,)
    """

    def _targets(self, graphs: GraphSet, y: Any) -> Targets:
        if self.learner not in ("auto", "ridge"):
            raise ValueError(f"learner {self.learner!r} is for classes: GCKNClassifier has it")
        return own_targets(graphs, classes=False) if y is None else number_targets(y, len(graphs))

    def predict(self, X: Any) -> Array:
        """The number of each graph; of several targets one column for each."""
        return _each([p["scores"][:, 0] for p in self._predictions(X)])  # type: ignore[no-any-return]


_SHARED = frozenset(GCKNRegressor._get_param_names())


def load_model(path: str | os.PathLike[str]) -> GCKNClassifier | GCKNRegressor:
    """A model that the command or Python has saved, ready to predict. Its parameters are those of the file, where they
    say what that holds: fit learns such a model anew.

    >>> import gckn, tempfile
    >>> graphs = gckn.datasets.motif(graphs=60)
    >>> with tempfile.NamedTemporaryFile(suffix=".gckn") as file:
    ...     gckn.GCKNClassifier(path_length=2, filters=8).fit(graphs).save(file.name)
    ...     model = gckn.load_model(file.name)
    >>> model.get_params()["path_length"], model.predict(graphs[:3]).shape
    (2, (3,))
    """
    model = _engine.load_model(file_name(path))
    said = model.describe()
    parameters = parameters_of(model.network)
    if parameters and said["epochs"]:
        parameters.update(supervised=True, epochs=said["epochs"])
    elif parameters:
        found = sorted({target["C"] for target in said["targets"]})
        parameters["C"] = found[0] if len(found) == 1 else found
    if parameters:
        parameters.update(learner=said["learner"], random_state=said["seed"])
    kind = GCKNClassifier if said["targets"][0]["class_names"] else GCKNRegressor
    estimator: GCKNClassifier | GCKNRegressor = kind(**parameters)
    estimator._take(model, targets_of_model(model))
    return estimator
