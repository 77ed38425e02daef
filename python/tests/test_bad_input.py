# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong is a ValueError or TypeError that names the graph; the interpreter never crashes."""

import types

import numpy as np
import pytest
import scipy.sparse

import gckn
from gckn import GraphSet, _engine

GOOD = {"num_nodes": 2, "edges": [(0, 1)], "node_labels": ["C", "O"]}
NAN = float("nan")


def raises(error, message, work, *arguments, **options):
    with pytest.raises(error, match=message) as raised:
        work(*arguments, **options)
    assert "incompatible function arguments" not in str(raised.value)  # of the engine, which users do not call


@pytest.mark.parametrize(
    ("graphs", "error", "message"),
    [
        ([], ValueError, "empty"),
        ("CCO", TypeError, r"give \[smiles\]"),
        (7, TypeError, "graphs are a list"),
        (None, TypeError, "graphs are a list"),
        (GOOD, TypeError, r"give \[graph\]"),
        ([object()], TypeError, "graph 0 is an object"),
        (np.zeros((3, 3)), TypeError, "graph 0 is a ndarray"),
        ([GOOD, "CCO"], TypeError, "graph 1 is a SMILES where graph 0 is a dict"),
        ([GOOD, GraphSet([GOOD])], TypeError, "graph 1 is a GraphSet where graph 0 is a dict"),
        ([GOOD, None], TypeError, "graph 1 is missing"),
        ([None, GOOD], TypeError, "graph 0 is missing"),
        ([GOOD, NAN], TypeError, "graph 1 is missing"),
        ([[GOOD]], ValueError, "graph 0: neighbours of node 'num_nodes' are 2"),
        ([{"num_nodes": 10**12}], ValueError, "graph 0: 1000000000000 nodes"),
        ([GOOD, {"num_nodes": 2**31}], ValueError, "graph 1: .*no node labels|graph 1: 2147483648 nodes"),
        ([{"edges": [(0, 1)]}, {"num_nodes": 2**31}], ValueError, "graph 1: 2147483648 nodes"),
        ([{"edges": [(0, 1)]}, {"edges": [(0, 2 * 10**8)]}], ValueError, "graph 1: 200000001 nodes"),
        ([{"edges": [(0, 1)]}, {"edges": [(2**70, 1)]}], ValueError, f"graph 1: {2**70 + 1} nodes"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_lists(graphs, error, message):
    raises(error, message, GraphSet, graphs)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"edges": [(0, 5)]}, ValueError, "graph 1: an edge names node 5"),
        ({"edges": [(-1, 1)]}, ValueError, "graph 1: an edge names node -1"),
        ({"edges": [(0, 1, 2)]}, ValueError, "graph 1: edges are a list of pairs"),
        ({"edges": [0, 1]}, ValueError, "graph 1: edges are a list of pairs"),
        ({"edges": None}, ValueError, "graph 1: edges are a list of pairs"),
        ({"edges": [("a", "b")]}, TypeError, "graph 1: an edge names node 'a'"),
        ({"edges": [(0.5, 1)]}, TypeError, "graph 1: an edge names node 0.5"),
        ({"nodes": 3}, ValueError, "graph 1: key 'nodes' is not known"),
        ({"num_nodes": -1}, ValueError, "graph 1: num_nodes is -1"),
        ({"num_nodes": "2"}, TypeError, "graph 1: num_nodes is '2'"),
        ({"node_labels": ["C"]}, ValueError, "graph 1: 1 node labels for 2 nodes"),
        ({"node_labels": "CO"}, TypeError, "graph 1: node_labels are a list"),
        ({"node_labels": {"C", "O"}}, TypeError, "graph 1: node_labels are a list"),
        ({"node_labels": {0: "C", 2: "O"}}, ValueError, "graph 1: node_labels name node 2, and have entries for 2"),
        ({"node_labels": {"a": "C"}}, ValueError, "graph 1: node_labels name node 'a'"),
        ({"node_labels": {0: "C"}}, ValueError, "graph 1: 1 node labels for 2 nodes"),
        ({"edges": [(2**70, 1)]}, ValueError, f"graph 1: an edge names node {2**70}"),
        ({"node_labels": ["C", None]}, ValueError, "graph 1: one of the node labels is missing"),
        ({"node_labels": [6, 8]}, TypeError, "graph 1: 6 in node labels, where others are words"),
        ({"node_labels": [0.5, 1.5]}, TypeError, "graph 1: 0.5 in node labels"),
        ({"node_labels": ["C", "\ud800"]}, ValueError, r"graph 1: '\\ud800' in node labels, which is no text"),
        ({"node_labels": [b"C", b"O"]}, TypeError, "graph 1: b'C' in node labels"),
        ({"node_labels": [(1,), (2,)]}, TypeError, r"graph 1: \(1,\) in node labels"),
        ({"node_labels": None}, ValueError, "graph 1: has no node labels, and graphs before it have some"),
    ],
    ids=str,
)
def test_labels_and_edges(change, error, message):
    raises(error, message, GraphSet, [GOOD, {**GOOD, **change}])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"node_attributes": [[1, 2], [1]]}, "graph 1: node attributes of 1 numbers, where others have 2"),
        ({"node_attributes": [[1, 2, 3], [1, 2, 3]]}, "graph 1: node attributes of 3 numbers, where others have 2"),
        ({"node_attributes": [[1, 2]]}, "graph 1: 1 node attributes for 2 nodes"),
        ({"node_attributes": [[1, 2], [1, NAN]]}, "graph 1: node attributes of node 1 are not all finite"),
        ({"node_attributes": [[1, 2], ["a", 3]]}, "graph 1: node attributes of node 1 are .* not numbers"),
        ({"edge_attributes": [[1.0], [2.0]]}, "graph 1: 2 edge attributes for 1 edges"),
        ({"edge_attributes": [[NAN]]}, "graph 1: edge attributes of the edge between nodes 0 and 1 are not all finite"),
        ({"edge_attributes": [[1.0, 2.0]]}, "graph 1: edge attributes of 2 numbers, where others have 1"),
    ],
    ids=str,
)
def test_attributes(change, message):
    good = {"num_nodes": 2, "edges": [(0, 1)], "node_attributes": [[1, 2], [3, 4]], "edge_attributes": [[0.5]]}
    raises(ValueError, message, GraphSet, [good, {**good, **change}])


def test_labels_of_an_edge_that_contradict_each_other():
    twice = {"edges": [(0, 1), (1, 2), (2, 1)], "edge_labels": ["a", "b", "c"]}
    raises(ValueError, "graph 1: edge 2 - 1: edge label c contradicts label b", GraphSet, [{"num_nodes": 3}, twice])
    assert GraphSet([{**twice, "edge_labels": ["a", "b", "b"]}]).num_edges == 2


def test_numbers_that_are_too_large_are_no_labels():
    raises(ValueError, "graph 1: .* in node labels", GraphSet, [{"node_labels": [1]}, {"node_labels": [2**70]}])
    unsigned = np.array([1, 2**63 + 5], dtype=np.uint64)
    raises(ValueError, "graph 1: .* in node labels", GraphSet.from_arrays, [1, 1], [[], []], node_labels=unsigned)


def pyg(edges=((0, 1), (1, 0)), x=((0.5, 0.5), (0.5, 1.5)), **others):
    return types.SimpleNamespace(edge_index=np.array(edges), x=np.array(x), num_nodes=len(x), **others)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (pyg(edges=((0,), (1,))), ValueError, "graph 1 is directed: every edge must be there in both directions"),
        (pyg(edges=((0, 0), (1, 1))), ValueError, "graph 1 is directed"),
        (pyg(edges=((0, 7), (7, 0))), ValueError, "graph 1 has an edge with node 7, and 2 nodes"),
        (pyg(edges=((0, -1), (-1, 0))), ValueError, "graph 1 has an edge with node -1"),
        (pyg(edges=((0.0, 1.0), (1.0, 0.0))), TypeError, "graph 1: the ends of edges are whole numbers"),
        (pyg(edges=((0, 1), (1, 0), (0, 1), (1, 0))), ValueError, r"graph 1: edges of shape \(4, 2\)"),
        (pyg(x=((0.5,), (1.5,))), ValueError, "graph 1: node features of 1 columns, where others have 2"),
        (pyg(x=((0.5, NAN), (1.5, 1.0))), ValueError, "graph 1: node attributes of node 0 are not all finite"),
        (types.SimpleNamespace(edge_index=None, x=None, num_nodes=2), ValueError, "graph 1 has no edge_index"),
        (pyg(edge_attr=np.array([1, 1])), ValueError, "graph 0 has no edge features"),
        (pyg(ptr=np.array([0, 1, 2])), TypeError, "graph 1 is a batch"),
    ],
    ids=lambda value: None if isinstance(value, types.SimpleNamespace) else str(value),
)
def test_arrays_of_pytorch_geometric(bad, error, message):
    raises(error, message, GraphSet, [pyg(), bad])


def test_adjacency_matrices():
    good = np.array([[0, 1], [1, 0]])
    for bad, message in [
        (np.triu(good), "graph 1 is directed"),
        (np.ones((2, 3)), r"graph 1: an adjacency matrix of shape \(2, 3\)"),
        (np.array([[0, NAN], [NAN, 0]]), "graph 1: an adjacency matrix with nan|graph 1 is directed"),
    ]:
        raises(ValueError, message, GraphSet, [scipy.sparse.csr_array(good), scipy.sparse.csr_array(bad)])
        raises(ValueError, message, GraphSet, [(good, {0: "a", 1: "b"}), (bad, {0: "a", 1: "b"})])  # GraKeL's
    raises(ValueError, "graph 0: 3 rows", GraphSet, [(scipy.sparse.csr_array(good), np.ones((3, 2)))])
    assert len(GraphSet([scipy.sparse.csr_array((0, 0)), scipy.sparse.csr_array(good)])) == 2
    for bad in (np.float64(3), [[1, 2], [3]]):
        raises(ValueError, "graph 1", GraphSet, [(scipy.sparse.csr_array(good), np.ones((2, 2)) / 2)] * 1
               + [(scipy.sparse.csr_array(good), bad)])  # fmt: skip


def test_graphs_of_networkx_and_igraph_of_which_some_lack_something():
    networkx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    graphs = [networkx.path_graph(3) for _ in range(2)]
    networkx.set_node_attributes(graphs[0], [0.5, 1.5], "attributes")
    networkx.set_node_attributes(graphs[1], {0: [0.5, 1.5], 1: [1.0, 2.0]}, "attributes")
    raises(ValueError, "graph 1: one of the node attributes is missing", GraphSet, graphs)
    networkx.set_node_attributes(graphs[1], {2: [None, "a"]}, "attributes")
    raises(ValueError, "graph 1: node attributes of node 2", GraphSet, graphs)
    graphs = [igraph.Graph(n=2, edges=[(0, 1)]) for _ in range(3)]
    graphs[0].vs["label"] = graphs[2].vs["label"] = ["C", "O"]
    raises(ValueError, "graph 1: has no node labels, and graphs before it have some", GraphSet, graphs)
    graphs[1].vs["label"] = ["C", None]
    raises(ValueError, "graph 1: one of the node labels is missing", GraphSet, graphs)


def test_grakel_tuples():
    labels = {0: "a", 1: "b"}
    for bad, message in [
        (([(0,)], labels), "graph 1: edges are pairs"),
        (([5, 6], labels), "graph 1: an adjacency matrix of shape"),
        (([[0, 1], [1]], labels), "graph 1: edges are neither"),
        (([(0, 1)], {0: "a"}), "graph 1: one of the node labels is missing"),
    ]:
        raises(ValueError, message, GraphSet, [([(0, 1)], labels), bad])


@pytest.mark.parametrize(
    ("sizes", "edges", "options", "error", "message"),
    [
        ([2, 2], [[0, 3], [1, 9]], {}, ValueError, "graph 1 has an edge between nodes 1 and 7, and 2 nodes"),
        ([2, 2], [[1], [2]], {}, ValueError, "graph 0 has an edge between nodes 1 and 2"),
        ([2, -2], [[], []], {}, ValueError, "graph 1: -2 nodes"),
        ([2.5], [[], []], {}, TypeError, "sizes are numbers of nodes"),
        ([[2, 2]], [[], []], {}, ValueError, "sizes have the shape"),
        ([2**33], [[], []], {}, ValueError, "graph 0: 8589934592 nodes"),
        ([2**31, 2**31], [[], []], {}, ValueError, "4294967296 nodes"),
        ([], [[], []], {}, ValueError, "empty"),
        ([2], [[0.5], [1.5]], {}, TypeError, "whole numbers"),
        ([2], [0, 1], {}, ValueError, "edges have the shape"),
        ([2], [[0], [1]], {"node_labels": [1, 2, 3]}, ValueError, "3 node labels for 2 nodes"),
        ([1, 1], [[], []], {"node_labels": ["a", None]}, ValueError, "graph 1: one of the node labels is missing"),
        ([2], [[0], [1]], {"edge_labels": [1, 2]}, ValueError, "2 edge labels for 1 edges"),
        ([2], [[0], [1]], {"edge_attributes": [[np.inf]]}, ValueError, "graph 0: edge attributes"),
        ([2], [[0], [1]], {"node_attributes": np.ones((2, 2, 2))}, ValueError, "node attributes have the shape"),
    ],
    ids=str,
)
def test_flat_arrays(sizes, edges, options, error, message):
    raises(error, message, GraphSet.from_arrays, sizes, edges, **options)


@pytest.mark.skipif(not _engine.has_rdkit(), reason="the engine was built without RDKit")
@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ("C(C", ValueError, r"graph 1: 'C\(C' is no molecule.*1 such.*on_error"),
        ("", ValueError, "graph 1"),
        ("CC\0O", ValueError, "graph 1"),
        ("C\nC", ValueError, "graph 1"),
        ("C\ud800", ValueError, "graph 1"),
        (b"C", TypeError, "graph 1 is a bytes"),
        (None, TypeError, "graph 1 is missing"),
        (NAN, TypeError, "graph 1 is missing"),
    ],
    ids=repr,
)
def test_smiles(bad, error, message):
    raises(error, message, GraphSet, ["CCO", bad, "C"])


@pytest.mark.parametrize(
    "options",
    [
        {"sigma": -1},
        {"sigma": NAN},
        {"sigma": "a"},
        {"arch": "tree"},
        {"path_length": -3},
        {"path_length": 1.5},
        {"filters": "8"},
        {"filters": 10**9},
        {"pooling": "median"},
        {"pooling": 3},
        {"compare": "words"},
        {"learner": "forest"},
        {"edge_labels": "yes"},
        {"C": -1},
        {"C": []},
        {"n_jobs": 0},
        {"n_jobs": "all"},
        {"max_paths": -1},
        {"random_state": -1},
        {"random_state": "x"},
        {"folds": 1},
        {"folds": "five"},
        {"class_weight": "x"},
        {"supervised": True, "epochs": -1},
        {"supervised": True, "epochs": 2, "learning_rate": 0},
        {"supervised": True, "epochs": 2, "batch_size": "x"},
    ],
    ids=str,
)
def test_parameters_are_refused_at_fit(motif, options):
    raises((ValueError, TypeError), ".", gckn.GCKNClassifier(**{"path_length": 2, "filters": 8, **options}).fit, motif)


def test_more_threads_than_cores_are_as_many_as_cores(motif):
    gckn.GCKNTransformer(path_length=1, filters=4, n_jobs=10**9).fit(motif)


@pytest.mark.parametrize(
    ("make", "y", "message"),
    [
        (gckn.GCKNClassifier, [0, 1], "y has 2 targets for 120 graphs"),
        (gckn.GCKNClassifier, np.zeros(120), "1 class"),
        (gckn.GCKNClassifier, np.linspace(0, 1, 120), "GCKNRegressor"),
        (gckn.GCKNClassifier, [None, *[0, 1] * 59, 0], "graph 0 is missing"),
        (gckn.GCKNClassifier, [["a", "b"]] * 120, "columns of 0, 1 and NaN"),
        (gckn.GCKNClassifier, [0] * 119 + [1], "only one graph"),
        (gckn.GCKNRegressor, ["a"] * 120, "GCKNClassifier"),
        (gckn.GCKNRegressor, [np.nan, *range(119)], "graph 0 is missing"),
        (gckn.GCKNRegressor, [np.inf, *range(119)], "not finite"),
        (gckn.GCKNRegressor, [[1], [1, 2]] * 60, "different length"),
        (gckn.GCKNRegressor, np.zeros((120, 2, 2)), "shape"),
        (gckn.GCKNRegressor, [1.0] * 120, "does not vary"),
    ],
)
def test_targets(motif, make, y, message):
    raises(ValueError, message, make(path_length=2, filters=8).fit, motif, y)


def test_models_of_the_future_and_broken_ones(motif, tmp_path):
    path = tmp_path / "model.gckn"
    gckn.GCKNClassifier(path_length=1, filters=4).fit(motif).save(path)
    whole = path.read_bytes()
    no_text = whole[:200] + b"\xff" + whole[201:]
    for broken in (whole[:-5], whole[:40], b"", b"\xff" * 100, whole[:200] + b"x" + whole[201:], no_text):
        path.write_bytes(broken)
        raises(ValueError, r"model\.gckn", gckn.load_model, path)
        raises(ValueError, ".", _engine.model_from_bytes, broken)
    raises(ValueError, "nothing", gckn.load_model, tmp_path / "nothing.gckn")
    gckn.GCKNTransformer(path_length=1, filters=4).fit(motif).save(path)
    raises(ValueError, "no trained model", gckn.load_model, path)


def test_graphs_that_a_model_cannot_take(motif):
    model = gckn.GCKNClassifier(path_length=1, filters=4).fit(motif)
    unlabelled = [{"num_nodes": 2, "edges": [(0, 1)]}]
    raises(ValueError, "no node labels", model.predict, unlabelled)
    raises(ValueError, "empty", model.predict, [])
    raises(ValueError, "no node labels", gckn.explain, model, unlabelled)
    raises(TypeError, "GCKNClassifier", gckn.explain, 3, motif)
    assert model.predict(motif[[]]).shape == (0,)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cv": 1}, ValueError, "1 folds"),
        ({"cv": []}, ValueError, "cv is an empty list"),
        ({"cv": "abc"}, TypeError, "pairs of training and test graphs"),
        ({"cv": [([0, 1], [1, 2])]}, ValueError, "fold 1 names graph 1 twice"),
        ({"cv": [([0, 1], [1000])]}, ValueError, "fold 1 names graph 1000"),
        ({"cv": [([0, 1], [-1])]}, ValueError, "names graph -1"),
        ({"protocol": "guess"}, ValueError, "protocol 'guess'"),
        ({"folds_by": "guess"}, ValueError, "folds_by"),
    ],
    ids=str,
)
def test_cross_validation(motif, options, error, message):
    raises(error, message, gckn.cross_validate, gckn.GCKNClassifier(path_length=1, filters=4), motif, **options)


def test_candidates_that_differ_in_more_than_their_network(motif):
    candidates = [gckn.GCKNClassifier(path_length=1, C=1), gckn.GCKNClassifier(path_length=2, C=2)]
    raises(ValueError, "candidate 1 has another C", gckn.cross_validate, candidates, motif)
    candidates[1] = gckn.GCKNRegressor(path_length=2, C=1)
    raises(ValueError, "candidate 1 has another kind", gckn.cross_validate, candidates, motif)
