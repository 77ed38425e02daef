# SPDX-License-Identifier: BSD-3-Clause
"""New graphs are read as those were that a model learnt from; what it has not seen is said."""

import types
import warnings

import numpy as np
import pytest
import scipy.sparse

import gckn
from gckn import GraphSet, _engine

PATH = scipy.sparse.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
SMALL = {"path_length": 1, "filters": 4, "n_jobs": 1}


def words(*labels):
    return {"edges": [(0, 1), (1, 2)], "node_labels": list(labels)}


KNOWN = [words("C", "C", "O"), words("C", "N", "O"), words("N", "N", "C"), words("O", "O", "C")] * 8
UNKNOWN = [words("X", "Y", "O"), words("Y", "Y", "C")]
Y = np.arange(len(KNOWN)) % 2


@pytest.fixture
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function", "transform"])
def test_labels_that_were_not_seen(method, silent):
    model = gckn.GCKNClassifier(**SMALL).fit(KNOWN, Y)
    getattr(model, method)(KNOWN)
    getattr(model, method)([words("C", "C", "X")])  # one of three
    with pytest.warns(UserWarning, match=r"4 of 6 nodes have labels .* \(X, Y\)"):
        getattr(model, method)(UNKNOWN)
    with pytest.warns(UserWarning, match="nodes have labels") as caught:
        model.score(UNKNOWN, [0, 1])
    assert len(caught) == 1
    with pytest.warns(UserWarning, match="nodes have labels"):
        gckn.explain(model, UNKNOWN)


def test_states_that_were_not_seen(silent):
    model = gckn.GCKNClassifier(compare="states", path_length=2, n_jobs=1).fit(KNOWN, Y)
    with pytest.warns(UserWarning, match="states of nodes are new"):
        model.predict([{"edges": [(0, 1), (0, 2), (0, 3), (0, 4)], "node_labels": ["C", "N", "N", "C", "C"]}])


def test_the_place_of_the_warning_is_the_callers():
    model = gckn.GCKNClassifier(**SMALL).fit(KNOWN, Y)
    for method in (gckn.GCKNTransformer(**SMALL).fit(KNOWN).transform, model.predict_proba):
        with pytest.warns(UserWarning) as caught:
            method(UNKNOWN)
        assert caught[0].filename == __file__


@pytest.mark.skipif(not _engine.has_rdkit(), reason="the engine was built without RDKit")
def test_molecules_that_were_read_in_another_way(silent):
    texts = ["CCO", "CCN", "c1ccccc1", "CCCl"] * 5
    model = gckn.GCKNClassifier(**SMALL).fit(GraphSet.from_smiles(texts, atoms="rich"), [0, 1] * 10)
    model.predict(texts)
    with pytest.warns(UserWarning, match="read with atoms='element'.*atoms='rich'"):
        model.predict(GraphSet.from_smiles(texts))
    kernel = gckn.GraphKernel("wl-oa").fit(GraphSet.from_smiles(texts, atoms="rich"))
    kernel.transform(texts[:2])
    with pytest.warns(UserWarning, match="read with atoms='element'.*atoms='rich'"):
        kernel.transform(GraphSet.from_smiles(texts))


def features(rows):
    return (PATH, np.array(rows, dtype=float))


MEASURED = [features([[0.1 * i, 1.0], [0.5, 2.0], [1.0, 0.3]]) for i in range(12)]
ONE_HOT = [features([[1, 0], [0, 1], [i % 2, 1 - i % 2]]) for i in range(12)]


def test_rows_that_happen_to_be_one_hot_are_attributes_where_others_were():
    model = gckn.GCKNTransformer(**SMALL).fit(MEASURED)
    whole = model.transform([*MEASURED, ONE_HOT[0]])
    np.testing.assert_array_equal(model.transform(ONE_HOT[:1]), whole[-1:])
    kernel = gckn.GraphKernel("gaussian-path", path_length=1, features="attributes").fit(MEASURED)
    assert kernel.transform(ONE_HOT[:1]).shape == (1, len(MEASURED))
    whole_numbers = [types.SimpleNamespace(edge_index=np.array([[0, 1], [1, 0]]), x=np.array([[3], [4]]), num_nodes=2)]
    column = [types.SimpleNamespace(edge_index=np.array([[0, 1], [1, 0]]), x=np.array([[0.5], [i]]), num_nodes=2)
              for i in range(5)]  # fmt: skip
    assert gckn.GCKNTransformer(**SMALL).fit(column).transform(whole_numbers).shape[0] == 1


def test_rows_that_are_no_label_are_named_where_others_were():
    model = gckn.GCKNTransformer(**SMALL).fit(ONE_HOT)
    with pytest.raises(ValueError, match=r"graph 1: node features \[0.0, 0.0\] are no label"):
        model.transform([ONE_HOT[0], features([[1, 0], [0, 0], [0, 1]])])
    np.testing.assert_array_equal(model.transform(ONE_HOT[1:2]), model.transform(ONE_HOT)[1:2])


def test_a_label_has_one_name_in_all_sets(tmp_path):
    def load(name, names, flip):
        folder = tmp_path / name
        folder.mkdir()
        labels = [label ^ flip for label in (0, 0, 1, 0, 1, 1)]
        for what, rows in {
            "A": ["1, 2", "2, 1", "2, 3", "3, 2", "4, 5", "5, 4", "5, 6", "6, 5"],
            "graph_indicator": [1, 1, 1, 2, 2, 2],
            "graph_labels": [0, 1],
            "node_labels": labels,
            "node_label_names": names,
        }.items():
            (folder / f"{name}_{what}.txt").write_text("".join(f"{row}\n" for row in rows))
        return gckn.load(folder)

    one, other = load("ONE", ["0=C", "1=O"], 0), load("OTHER", ["0=O", "1=C"], 1)
    with pytest.raises(ValueError, match=r"set 1: node label 0 is 'O', and in a set before it 'C'"):
        GraphSet.concatenate([one, other])
    for kernel in ("wl-oa", "wl-subtree"):
        with pytest.raises(ValueError, match="node label"):
            gckn.GraphKernel(kernel).fit(one).transform(other)
    with pytest.raises(ValueError, match=r"set 1: node label '[CO]' is"):
        GraphSet.concatenate([one, GraphSet([words("C", "C", "O")])])
    assert len(GraphSet.concatenate([one, one])) == 4
