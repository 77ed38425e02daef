# SPDX-License-Identifier: BSD-3-Clause
"""Parameters: NumPy's are Python's, wrong ones are named, and those of a file are known."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import gckn
from gckn import GraphSet

SMALL = {"path_length": 1, "filters": 4, "C": 1.0}
TRUE = np.bool_(True)


def raises(error, message, work, *arguments, **options):
    with pytest.raises(error, match=message) as raised:
        work(*arguments, **options)
    assert not any(said in str(raised.value) for said in ("incompatible function arguments", "bad_cast"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: gckn.GraphKernel("path", path_length=np.int64(2), summed=TRUE, sigma=np.float32(0.5), normalised=TRUE),
        lambda: gckn.GCKNTransformer(path_length=np.int8(1), filters=np.uint16(4), one_length=TRUE, concat_layers=TRUE),
        lambda: gckn.GCKNTransformer(path_length=1, filters=4, max_paths=np.int64(10**9), n_jobs=np.int64(1)),
        lambda: gckn.GCKNClassifier(**{**SMALL, "C": np.float32(1)}, folds=np.int64(3), edge_labels=np.bool_(False)),
        lambda: gckn.GCKNClassifier(
            **SMALL, supervised=TRUE, epochs=np.int64(2), batch_size=np.int32(8), standardise=TRUE, patience=np.int8(0)
        ),
    ],
)
def test_those_of_numpy(motif, make):
    make().fit_transform(motif) if hasattr(make(), "fit_transform") else make().fit(motif)
    options = {"inner_folds": np.int64(2), "repeats": np.int64(1), "baselines": np.bool_(False)}
    assert gckn.cross_validate(gckn.GCKNClassifier(**SMALL), motif, cv=np.int64(2), **options)["repeats"] == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("path_length", "a"),
        ("path_length", None),
        ("path_length", True),
        ("path_length", 2**40),
        ("kernel", 3),
        ("summed", "yes"),
        ("sigma", "wide"),
        ("normalised", 2),
        ("features", None),
        ("edge_labels", "no"),
    ],
)
def test_wrong_ones_of_kernels(motif, name, value):
    raises((TypeError, ValueError), f"^{name} is ", gckn.GraphKernel(**{name: value}).fit_transform, motif)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("learner", 3),
        ("features", None),
        ("folds", 2.5),
        ("validation", "a"),
        ("patience", "a"),
        ("supervised", "yes"),
        ("C", "a"),
        ("C", [1, None]),
        ("select_by", 4),
        ("max_paths", 2**70),
        ("filters", 2**70),
        ("progress", 3),
    ],
)
def test_wrong_ones_of_models(motif, name, value):
    raises((TypeError, ValueError), f"^{name} is ", gckn.GCKNClassifier(**{**SMALL, name: value}).fit, motif)


def test_wrong_ones_of_functions(motif, tmp_path):
    path = tmp_path / "graphs.csv"
    path.write_text("smiles\nC\n")
    for name, value in {
        "smiles_column": None,
        "target_columns": "y",
        "atoms": 3,
        "hydrogens": "yes",
        "largest_fragment": None,
    }.items():
        raises(TypeError, f"^{name} is ", gckn.load, path, **{name: value})
    raises(TypeError, "^hydrogens is ", GraphSet.from_smiles, ["C"], hydrogens="yes")
    raises(TypeError, r"give \[smiles\]", GraphSet.from_smiles, "CCO")
    raises(TypeError, "^name is ", GraphSet.from_arrays, [1], [[], []], name=3)
    raises(ValueError, "no name of a file", gckn.load, "a\0b")
    raises(TypeError, "^format is ", motif.save, path, format=None)
    model = gckn.GCKNClassifier(**SMALL).fit(motif)
    raises(ValueError, "^target is -1", gckn.explain, model, motif[:1], target=-1)
    raises(ValueError, "^target is 1, and the model has 1", gckn.explain, model, motif[:1], target=1)
    raises(TypeError, "^method is ", gckn.explain, model, motif[:1], method=None)
    raises(TypeError, "^mu is ", gckn.explain, model, motif[:1], mu="a")
    raises(TypeError, "^paths is ", gckn.explain, model, motif[:1], paths=1)
    for name, value in {"protocol": None, "inner_folds": "a", "repeats": "a", "baselines": "x", "resume": "x"}.items():
        raises(TypeError, f"^{name} is ", gckn.cross_validate, model, motif, cv=2, **{name: value})
    raises(ValueError, "list of estimators is empty", gckn.cross_validate, [], motif)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({0: -1.0}, "class_weight of class 0 is -1.0"),
        ({0: np.nan}, "class_weight of class 0 is nan"),
        ({1: np.inf}, "class_weight of class 1 is inf"),
        ({1: "a"}, "class_weight of class 1 is 'a'"),
        ({7: 2.0}, r"class_weight has the class 7, and y has the classes \[0, 1\]"),
    ],
)
def test_weights_of_classes(motif, class_weight, message):
    estimator = gckn.GCKNClassifier(**SMALL, class_weight=class_weight)
    raises(ValueError, message, estimator.fit, motif)
    raises(ValueError, message, gckn.cross_validate, estimator, motif, cv=2)


def test_probabilities(motif):
    model = gckn.GCKNClassifier(**SMALL).fit(motif)
    assert model.predict_proba(motif[[]]).shape == (0, 2)
    assert model.predict_log_proba(motif[[]]).shape == (0, 2)
    trained = gckn.GCKNClassifier(path_length=1, filters=4, supervised=True, epochs=2).fit(motif)
    raises(ValueError, "not trained on", trained.predict_proba, motif)
    with pytest.raises(NotFittedError):
        gckn.GCKNClassifier().predict_proba(motif)


@pytest.mark.parametrize(
    "parameters",
    [
        {"arch": "walk", "path_length": 2, "filters": 4},
        {"arch": "path", "path_length": 2, "filters": 4, "pooling": "sum", "sigma": 0.4},
        {"arch": "subtree", "path_length": 3, "filters": 300, "global_pooling": "mean", "one_length": True},
        {"arch": "three-layer", "path_length": 1, "filters": 4, "concat_layers": True},
    ],
    ids=lambda parameters: parameters["arch"],
)
def test_those_of_a_file(motif, tmp_path, parameters):
    path = tmp_path / "model.gckn"
    network = gckn.GCKNTransformer(**parameters).fit(motif)
    network.save(path)
    loaded = gckn.GCKNTransformer.load(path)
    assert {name: loaded.get_params()[name] for name in parameters} == parameters
    np.testing.assert_array_equal(clone(loaded).fit_transform(motif), network.transform(motif))

    model = gckn.GCKNClassifier(**parameters, C=0.5, random_state=3, learner="logistic").fit(motif)
    model.save(path)
    again = clone(gckn.load_model(path)).fit(motif)
    assert again.learner == "logistic" and again.random_state == 3
    np.testing.assert_array_equal(again.decision_function(motif), model.decision_function(motif))


@pytest.mark.parametrize(
    ("compare", "head"),
    [
        ("states", "linear"),
        ("states", "gaussian"),
        ("both", "gaussian"),
        ("vectors", "linear"),
        ("vectors", "gaussian"),
    ],
)
def test_those_of_a_file_with_states(motif, tmp_path, compare, head):
    path = tmp_path / "model.gckn"
    model = gckn.GCKNClassifier(compare=compare, head=head, path_length=2, filters=8, C=1.0).fit(motif)
    model.save(path)
    loaded = gckn.load_model(path)
    assert (loaded.compare, loaded.head, loaded.path_length) == (compare, head, 2)
    np.testing.assert_array_equal(clone(loaded).fit(motif).decision_function(motif), model.decision_function(motif))
