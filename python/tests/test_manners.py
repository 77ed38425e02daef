# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's common checks, as far as they make sense for lists of graphs: its own where they need no tables,
otherwise written out."""

import copy
import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_is_fitted

import gckn

SMALL = {"path_length": 2, "filters": 8}
ESTIMATORS = {
    "transformer": gckn.GCKNTransformer(**SMALL),
    "classifier": gckn.GCKNClassifier(**SMALL),
    "regressor": gckn.GCKNRegressor(**SMALL),
    "end to end": gckn.GCKNClassifier(**SMALL, supervised=True, epochs=3),
    "kernel": gckn.GraphKernel(),
}
PREDICTING = ["classifier", "regressor", "end to end"]
TRANSFORMING = ["transformer", "kernel"]
# Those that fit nothing. Not all versions of scikit-learn have all.
CHECKS = [
    "check_estimator_cloneable",
    "check_estimator_get_tags_default_keys",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
]


@pytest.fixture(params=ESTIMATORS)
def estimator(request):
    return clone(ESTIMATORS[request.param])


def fitted(name, graphs, y=None):
    return clone(ESTIMATORS[name]).fit(graphs, graphs.y if y is None else y)


def output(estimator, graphs):
    method = next(name for name in ("decision_function", "predict", "transform") if hasattr(estimator, name))
    return getattr(estimator, method)(graphs)


@pytest.mark.parametrize("check", [name for name in CHECKS if hasattr(estimator_checks, name)])
def test_checks_of_scikit_learn(estimator, check):
    getattr(estimator_checks, check)(type(estimator).__name__, estimator)


def test_most_of_these_checks_are_there():
    assert sum(hasattr(estimator_checks, name) for name in CHECKS) >= 5


def test_fit_gives_the_estimator_and_leaves_parameters_and_data_alone(estimator, motif):
    before = {name: copy.copy(value) for name, value in estimator.get_params().items()}
    graphs = [{"num_nodes": 3, "edges": [(0, 1), (1, 2)], "node_labels": [1, 2, i % 3]} for i in range(24)]
    y = np.arange(24) % 2
    graphs_before, y_before = copy.deepcopy(graphs), y.copy()
    assert estimator.fit(graphs, y) is estimator
    assert estimator.get_params() == before
    assert graphs == graphs_before
    np.testing.assert_array_equal(y, y_before)
    new = set(vars(estimator)) - set(before)
    assert new and all(name.endswith("_") and not name.startswith("_") for name in new)


def test_what_was_learnt_before_is_forgotten(estimator, motif):
    others = gckn.datasets.motif(graphs=60, seed=9)
    once = output(clone(estimator).fit(motif, motif.y), motif)
    again = output(estimator.fit(others, others.y).fit(motif, motif.y), motif)
    np.testing.assert_array_equal(again, once)


def test_a_graph_has_the_same_result_in_any_company(estimator, motif):
    whole = output(estimator.fit(motif, motif.y), motif)
    order = np.random.default_rng(0).permutation(len(motif))
    np.testing.assert_array_equal(output(estimator, motif[order]), whole[order])
    np.testing.assert_array_equal(output(estimator, motif[3]), whole[3:4])


def test_fitted_or_not(estimator, motif):
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)
    pickle.loads(pickle.dumps(estimator))
    estimator.fit(motif, motif.y)
    check_is_fitted(estimator)
    with pytest.raises(NotFittedError):
        check_is_fitted(clone(estimator))
    copied = pickle.loads(pickle.dumps(estimator))
    np.testing.assert_array_equal(output(copied, motif), output(estimator, motif))
    assert copied.get_params().keys() == estimator.get_params().keys()


def test_repr_and_diagram(estimator, motif):
    name = type(estimator).__name__
    changed = estimator.set_params(path_length=1)
    assert repr(changed).startswith(f"{name}(") and "path_length=1" in repr(changed)
    before = changed._repr_html_()
    assert name in before and "path_length" in before
    assert changed.fit(motif, motif.y)._repr_html_() != before  # says that it is fitted
    assert name in make_pipeline(changed, StandardScaler())._repr_html_()


def test_tags(estimator):
    sklearn_utils = pytest.importorskip("sklearn.utils")
    if not hasattr(sklearn_utils, "get_tags"):
        pytest.skip("this scikit-learn has no get_tags")
    tags = sklearn_utils.get_tags(estimator)
    assert tags.no_validation and not tags.input_tags.two_d_array
    assert tags.target_tags.required == (is_classifier(estimator) or is_regressor(estimator))
    kind = "classifier" if is_classifier(estimator) else "regressor" if is_regressor(estimator) else None
    assert tags.estimator_type == kind


@pytest.mark.parametrize("name", PREDICTING)
def test_the_seed(motif, name):
    def scores(random_state):
        return output(clone(ESTIMATORS[name]).set_params(random_state=random_state).fit(motif, motif.y), motif)

    np.testing.assert_array_equal(scores(3), scores(3))
    np.testing.assert_array_equal(scores(None), scores(0))
    assert (scores(3) != scores(4)).any()
    np.testing.assert_array_equal(scores(np.random.RandomState(5)), scores(np.random.RandomState(5)))


@pytest.mark.parametrize("name", PREDICTING)
@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_threads_do_not_change_results(motif, name, n_jobs):
    some = clone(ESTIMATORS[name]).set_params(n_jobs=n_jobs).fit(motif, motif.y)
    np.testing.assert_array_equal(output(some, motif), output(fitted(name, motif), motif))


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_weights_of_graphs(motif, name):
    estimator = clone(ESTIMATORS[name]).set_params(C=0.1)
    y = motif.y.astype(float)
    plain = output(clone(estimator).fit(motif, y), motif)
    ones = output(clone(estimator).fit(motif, y, sample_weight=np.ones(len(motif))), motif)
    np.testing.assert_allclose(ones, plain, rtol=1e-6, atol=1e-9)
    heavy = np.where(motif.y == 1, 100.0, 1.0)
    assert output(clone(estimator).fit(motif, y, sample_weight=heavy), motif).mean() > plain.mean()
    search = GridSearchCV(estimator, {"C": [0.1, 1.0]}, cv=2).fit(motif, y, sample_weight=heavy)
    assert search.best_score_ > -10


def test_weights_of_classes(motif):
    few = motif[np.flatnonzero((motif.y == 0) | (np.arange(len(motif)) % 6 == 0))]

    def found(class_weight):
        return (
            gckn.GCKNClassifier(**SMALL, C=1e-4, class_weight=class_weight)
            .fit(few, few.y)
            .decision_function(few)
            .mean()
        )

    assert found("balanced") > found(None) and found({1: 50.0}) > found({1: 2.0}) > found(None)
    named = np.where(few.y == 1, "yes", "no")
    weighted = gckn.GCKNClassifier(**SMALL, C=1e-4, class_weight={"yes": 50.0}).fit(few, named)
    assert weighted.decision_function(few).mean() == found({1: 50.0})


def test_a_dict_of_class_weights_is_heeded_in_cross_validation(motif):
    def predicted(class_weight):
        estimator = gckn.GCKNClassifier(**SMALL, C=1e-4, class_weight=class_weight)
        result = gckn.cross_validate(estimator, motif, cv=2, baselines=False)
        return sum(fold["targets"][0]["predicted"].count("1") for fold in result["folds"])

    assert predicted({1: 1000.0}) > predicted(None) > predicted({0: 1000.0})


@pytest.mark.parametrize("name", TRANSFORMING)
def test_outputs_with_names(motif, name):
    pandas = pytest.importorskip("pandas")
    transformer = fitted(name, motif)
    names = transformer.get_feature_names_out()
    assert len(names) == transformer.transform(motif).shape[1] == len(set(names))
    frame = transformer.set_output(transform="pandas").transform(motif[:5])
    assert isinstance(frame, pandas.DataFrame) and frame.columns.tolist() == list(names)
    np.testing.assert_array_equal(frame, transformer.set_output(transform="default").transform(motif[:5]))
    if tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 4):
        assert "polars" in type(transformer.set_output(transform="polars").transform(motif[:5])).__module__
    union = FeatureUnion([("a", clone(ESTIMATORS[name])), ("b", clone(ESTIMATORS[name]))])
    assert union.fit_transform(motif).shape == (len(motif), 2 * len(names))


def test_pipelines_are_searched_by_their_steps(motif):
    pipeline = make_pipeline(gckn.GraphKernel(), SVC(kernel="precomputed"))
    search = GridSearchCV(pipeline, {"graphkernel__path_length": np.arange(1, 4), "svc__C": [1.0, 10.0]}, cv=3)
    assert search.fit(motif, motif.y).best_score_ > 0.6
    vectors = make_pipeline(gckn.GCKNTransformer(**SMALL), StandardScaler(), SVC())
    search = GridSearchCV(vectors, {"gckntransformer__sigma": np.array([0.4, 1.0])}, cv=3, n_jobs=2)
    assert search.fit(motif, motif.y).best_score_ > 0.6


@pytest.mark.parametrize("kind", ["pandas", "polars", "list"])
def test_targets_as_columns(motif, kind):
    y = motif.y.tolist() if kind == "list" else pytest.importorskip(kind).Series(motif.y.tolist())
    np.testing.assert_array_equal(
        fitted("classifier", motif, y).predict(motif), fitted("classifier", motif).predict(motif)
    )


def test_scikit_learns_own_cross_validation(motif):
    estimator = gckn.GCKNClassifier(**SMALL, C=1.0)
    probabilities = cross_val_predict(estimator, motif, motif.y, cv=3, method="predict_proba")
    assert probabilities.shape == (120, 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    result = cross_validate(estimator, motif, motif.y, cv=3, scoring=["accuracy", "roc_auc"], return_estimator=True)
    assert result["test_roc_auc"].mean() > 0.6
    kept = result["estimator"][0]
    assert kept.score(motif, motif.y) == accuracy_score(motif.y, kept.predict(motif))
