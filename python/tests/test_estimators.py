# SPDX-License-Identifier: BSD-3-Clause
"""The estimators have scikit-learn's manners, and the command's results."""

import json
import pathlib
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gckn

COMMAND = pathlib.Path(gckn.__file__).parent / "bin" / "gckn"
SMALL = {"path_length": 2, "filters": 8}
ESTIMATORS = [
    gckn.GCKNTransformer(**SMALL),
    gckn.GCKNClassifier(**SMALL),
    gckn.GCKNRegressor(**SMALL),
    gckn.GraphKernel(),
]


def run_command(*arguments):
    if not COMMAND.exists():
        pytest.skip("this package was built without the command")
    return subprocess.run([COMMAND, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def targets(motif):
    return motif.y


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_parameters_clone_and_repr(estimator):
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params() and copy is not estimator
    assert copy.set_params(n_jobs=2).n_jobs == 2
    with pytest.raises(ValueError):
        copy.set_params(nonsense=1)
    assert type(estimator).__name__ in repr(estimator)
    assert "<" in estimator._repr_html_()
    # What the constructor is given is what it keeps, whatever that is.
    for name in estimator.get_params():
        value = object()
        assert getattr(type(estimator)(**{name: value}), name) is value


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_what_is_not_fitted_says_so(estimator, motif):
    method = "predict" if hasattr(estimator, "predict") else "transform"
    with pytest.raises(NotFittedError, match="call fit first"):
        getattr(clone(estimator), method)(motif)


def test_kinds_are_known():
    assert is_classifier(ESTIMATORS[1]) and is_regressor(ESTIMATORS[2])


def test_fit_does_not_change_parameters_and_gives_the_same_twice(motif, targets):
    estimator = gckn.GCKNClassifier(**SMALL, random_state=3)
    before = estimator.get_params()
    first = estimator.fit(motif, targets).decision_function(motif)
    assert estimator.get_params() == before
    np.testing.assert_array_equal(estimator.fit(motif, targets).decision_function(motif), first)
    one_thread = gckn.GCKNClassifier(**SMALL, random_state=3, n_jobs=1).fit(motif, targets)
    np.testing.assert_array_equal(one_thread.decision_function(motif), first)


def test_transformer(motif):
    transformer = gckn.GCKNTransformer(**SMALL)
    vectors = transformer.fit_transform(motif)
    assert vectors.dtype == np.float32 and vectors.shape == (120, 24)
    np.testing.assert_array_equal(transformer.fit(motif).transform(motif), vectors)
    # In any company a graph has the same vector.
    np.testing.assert_array_equal(transformer.transform(motif[7]), vectors[7:8])
    assert transformer.get_feature_names_out()[0] == "gckntransformer0"
    assert len(transformer.get_feature_names_out()) == 24
    pandas = pytest.importorskip("pandas")
    frame = clone(transformer).set_output(transform="pandas").fit_transform(motif)
    assert isinstance(frame, pandas.DataFrame) and frame.shape == vectors.shape


def test_pipelines_and_searches(motif, targets):
    pipeline = make_pipeline(gckn.GCKNTransformer(**SMALL), StandardScaler(), LogisticRegression())
    scores = cross_val_score(pipeline, motif, targets, cv=3)
    assert scores.mean() > 0.6
    search = GridSearchCV(gckn.GCKNClassifier(**SMALL), {"sigma": [0.4, 1.0]}, cv=3, n_jobs=2).fit(motif, targets)
    assert search.best_params_["sigma"] in (0.4, 1.0) and search.predict(motif).shape == (120,)


def test_lists_of_graphs_are_as_good_as_sets(motif, targets):
    graphs = [
        {
            "edges": np.stack([one.to_arrays()["edge_from"], one.to_arrays()["edge_to"]]).T.tolist(),
            "node_labels": one.to_arrays()["node_labels"].tolist(),
        }
        for one in motif
    ]
    expected = gckn.GCKNClassifier(**SMALL).fit(motif, targets).decision_function(motif)
    np.testing.assert_array_equal(gckn.GCKNClassifier(**SMALL).fit(graphs, targets).decision_function(graphs), expected)
    assert cross_val_score(gckn.GCKNClassifier(**SMALL, folds=2), graphs, targets, cv=2).shape == (2,)


@pytest.mark.parametrize(
    "rename",
    [
        lambda y: y,
        lambda y: np.where(y == 1, "yes", "no"),
        lambda y: y == 1,
        lambda y: np.where(y == 1, -7, 12),
        lambda y: y.astype(float),
        lambda y: np.where(y == 1, "9", "10"),
    ],
)
def test_classes_of_any_type_in_numpys_order(motif, targets, rename):
    y = rename(targets)
    model = gckn.GCKNClassifier(**SMALL).fit(motif, y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    predicted = model.predict(motif)
    assert predicted.dtype == y.dtype and np.mean(predicted == y) > 0.7
    probabilities = model.predict_proba(motif)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    scores = model.decision_function(motif)
    np.testing.assert_array_equal(model.classes_[(scores > 0).astype(int)], predicted)
    # More of the score is more of the second class.
    assert np.corrcoef(scores, probabilities[:, 1])[0, 1] > 0.9
    np.testing.assert_allclose(model.predict_log_proba(motif), np.log(probabilities))
    assert model.score(motif, y) == np.mean(predicted == y)


def test_several_classes(motif, targets):
    edges = np.array([one.num_edges for one in motif])
    y = np.array(["c", "b", "a"])[np.digitize(edges, np.quantile(edges, [1 / 3, 2 / 3]))]
    model = gckn.GCKNClassifier(**SMALL).fit(motif, y)
    scores = model.decision_function(motif)
    assert scores.shape == (120, len(model.classes_))
    np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(motif))


def test_several_targets_with_missing_values(motif, targets):
    y = np.stack([targets, 1 - targets], axis=1).astype(float)
    y[::7, 0] = np.nan
    model = gckn.GCKNClassifier(**SMALL).fit(motif, y)
    assert model.predict(motif).shape == (120, 2) and len(model.predict_proba(motif)) == 2
    sizes = np.stack([[one.num_nodes for one in motif], [one.num_edges for one in motif]], axis=1).astype(float)
    sizes[::5, 1] = np.nan
    regressor = gckn.GCKNRegressor(**SMALL).fit(motif, sizes)
    known = ~np.isnan(sizes[:, 1])
    assert np.corrcoef(regressor.predict(motif)[known, 1], sizes[known, 1])[0, 1] > 0.95


def test_weights(motif, targets):
    none = np.where(np.arange(120) < 60, 1.0, 0.0)
    weighted = gckn.GCKNClassifier(**SMALL, C=1.0).fit(motif, targets, sample_weight=none)
    half = gckn.GCKNClassifier(**SMALL, C=1.0).fit(motif[:60], targets[:60])
    np.testing.assert_array_equal(weighted.decision_function(motif), half.decision_function(motif))
    heavy = gckn.GCKNClassifier(**SMALL, C=1e-4, class_weight={1: 1000.0}).fit(motif, targets)
    plain = gckn.GCKNClassifier(**SMALL, C=1e-4).fit(motif, targets)
    assert (heavy.predict(motif) == 1).sum() > (plain.predict(motif) == 1).sum()
    gckn.GCKNClassifier(**SMALL, class_weight="balanced").fit(motif, targets)
    with pytest.raises(ValueError, match="negative"):
        gckn.GCKNClassifier(**SMALL).fit(motif, targets, sample_weight=-none)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"compare": "states"},
        {"compare": "both", "filters": 16},
        {"head": "gaussian"},
        {"learner": "logistic", **SMALL},
    ],
    ids=str,
)
def test_every_kind_of_model_is_pickled_to_the_same_bits(motif, targets, options, tmp_path):
    model = gckn.GCKNClassifier(**options).fit(motif, targets)
    expected = model.decision_function(motif)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(motif), expected)
    joblib.dump(model, tmp_path / "model.joblib")
    np.testing.assert_array_equal(joblib.load(tmp_path / "model.joblib").decision_function(motif), expected)
    model.save(tmp_path / "model.gckn")
    loaded = gckn.load_model(tmp_path / "model.gckn")
    np.testing.assert_array_equal(loaded.decision_function(motif), expected)
    np.testing.assert_array_equal(loaded.classes_, model.classes_)


def test_models_of_the_command_and_of_python_are_the_same(motif, tmp_path):
    motif.save(tmp_path / "motif.jsonl")
    run_command("train", tmp_path / "motif.jsonl", "--out", tmp_path / "command.gckn", "--quiet")
    ours = gckn.GCKNClassifier().fit(gckn.load(tmp_path / "motif.jsonl"))
    ours.save(tmp_path / "python.gckn")
    theirs = gckn.load_model(tmp_path / "command.gckn")
    np.testing.assert_array_equal(theirs.decision_function(motif), ours.decision_function(motif))
    for name in ("command", "python"):
        run_command("predict", tmp_path / f"{name}.gckn", tmp_path / "motif.jsonl", "--out", tmp_path / f"{name}.csv")
    assert (tmp_path / "command.csv").read_text() == (tmp_path / "python.csv").read_text()
    assert ours.network_["compare"] == theirs.network_["compare"]


def test_end_to_end(motif, targets):
    model = gckn.GCKNClassifier(**SMALL, supervised=True, epochs=5, learner="logistic").fit(motif, targets)
    assert len(model.history_) == 5 and model.history_[-1]["loss"] < model.history_[0]["loss"] * 1.2
    assert model.predict_proba(motif).shape == (120, 2)


def test_regressor_is_ridge_on_standardised_vectors(motif):
    """The same scores as scikit-learn's pipeline."""
    from sklearn.linear_model import Ridge

    sizes = np.array([one.num_edges for one in motif], dtype=float)
    model = gckn.GCKNRegressor(**SMALL, C=0.5).fit(motif, sizes)
    vectors = gckn.GCKNTransformer(**SMALL).fit_transform(motif).astype(float)
    vectors = vectors[:, vectors.std(axis=0) > 1e-4 * np.abs(vectors).mean(axis=0)]
    reference = make_pipeline(StandardScaler(), Ridge(alpha=1.0)).fit(vectors, sizes)
    np.testing.assert_allclose(model.predict(motif), reference.predict(vectors), rtol=1e-6)


def test_graphs_without_targets_need_y(motif):
    plain = gckn.GraphSet.concatenate([motif[:60], motif[60:]])
    with pytest.raises(ValueError, match="give y"):
        gckn.GCKNClassifier().fit(plain)


def test_progress_and_its_end(motif, targets):
    seen = []
    gckn.GCKNClassifier(progress=lambda stage, done, total: seen.append((done, total))).fit(motif, targets)
    assert seen and all(done <= total for done, total in seen)

    def stop(stage, done, total):
        raise InterruptedError("enough")

    with pytest.raises(InterruptedError, match="enough"):
        gckn.GCKNClassifier(progress=stop).fit(motif, targets)


def test_importing_costs_little_and_loads_little():
    code = (
        "import sys, time; b = time.perf_counter(); import gckn; gckn.__dir__(); print(time.perf_counter() - b); "
        "print([m for m in ('torch', 'sklearn', 'pandas', 'networkx', 'rdkit', 'dask') if m in sys.modules])"
    )
    seconds, modules = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert float(seconds) < 0.3 and modules == "[]"
    # Nor does all of it load more than NumPy, SciPy and scikit-learn (which may load pandas).
    code = (
        "import sys, gckn; [getattr(gckn, name) for name in gckn.__all__]; "
        "print([m for m in ('torch', 'polars', 'networkx', 'rdkit', 'dask', 'distributed', 'tqdm', "
        "'IPython', 'matplotlib') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"


def test_version_is_that_of_the_command():
    assert json.loads(run_command("--version").split()[-1].join('""')) == gckn.__version__
