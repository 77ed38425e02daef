# SPDX-License-Identifier: BSD-3-Clause
"""Graph sets, and graphs of other packages."""

import copy
import pickle
import types

import numpy as np
import pytest
import scipy.sparse

import gckn
from gckn import GraphSet

# A triangle of C, C, O with a tail N, and a single C.
EDGES = [(0, 1), (1, 2), (0, 2), (2, 3)]
WORDS = ["C", "C", "O", "N"]
BONDS = ["single", "double", "single", "single"]


def as_dicts():
    return [
        {"num_nodes": 4, "edges": EDGES, "node_labels": WORDS, "edge_labels": BONDS},
        {"num_nodes": 1, "node_labels": ["C"]},
    ]


def vectors(graphs, **options):
    """What a network makes of them: equal vectors mean equal graphs here."""
    return gckn.GCKNTransformer(path_length=2, filters=8, edge_labels=True, **options).fit_transform(graphs)


def test_a_set_is_a_sequence_that_scikit_learn_can_split(motif):
    assert motif.shape == (120,)
    assert len(motif[10:20]) == 10 and len(motif[[3, -1]]) == 2
    assert len(motif[np.arange(120) % 2 == 0]) == 60
    assert motif[-1].num_nodes == motif[119].num_nodes
    assert len(motif[np.array([1, 2]), ...]) == 2
    assert sum(one.num_nodes for one in motif) == motif.num_nodes
    np.testing.assert_array_equal(motif[[5, 7]].y, motif.y[[5, 7]])
    for index in (120, -121, [0, 120], [True], [0.5], np.bool_(True)):
        with pytest.raises(IndexError):
            motif[index]
    with pytest.raises(AttributeError):
        motif.name = "other"
    with pytest.raises(AttributeError):
        del motif._set
    assert "120 graphs" in repr(motif) and "2 classes" in repr(motif)


def test_pickled_sets_are_the_same(motif):
    copy = pickle.loads(pickle.dumps(motif))
    np.testing.assert_array_equal(copy.y, motif.y)
    for key, value in motif.to_arrays().items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(copy.to_arrays()[key], value, err_msg=key)
        else:
            assert copy.to_arrays()[key] == value, key


def test_attributes_of_both_directions_are_kept():
    attributes = [[1.0], [2.0], [3.0], [3.0]]
    edges = [(0, 1), (1, 0), (1, 2), (2, 1)]
    graphs = GraphSet([{"edges": edges, "edge_attributes": attributes}] * 3)

    def embedded(some):
        return gckn.GCKNTransformer(path_length=2, filters=4, features="edge-attributes").fit_transform(some)

    expected = embedded(graphs)
    assert len(graphs.to_arrays()["edge_from"]) == 3 * 3  # the second edge is there once
    joined = GraphSet.concatenate([graphs[:1], graphs[1:]])
    arrays = graphs.to_arrays()
    ends = [arrays["edge_from"], arrays["edge_to"]]
    rebuilt = GraphSet.from_arrays(arrays["sizes"], ends, edge_attributes=arrays["edge_attributes"])
    for other in (pickle.loads(pickle.dumps(graphs)), copy.deepcopy(graphs), joined, rebuilt):
        np.testing.assert_array_equal(embedded(other), expected)
    one_way = [{"edges": edges, "edge_attributes": [[1.0], [1.0], [3.0], [3.0]]}] * 3
    assert (embedded(one_way) != expected).any()


def test_pickled_sets_know_the_names_of_their_targets(tmp_path):
    path = tmp_path / "graphs.csv"
    path.write_text("smiles,active\nCCO,yes\nCCN,no\n")
    if not gckn._engine.has_rdkit():
        pytest.skip("the engine was built without RDKit")
    graphs = gckn.load(path, target_columns=["active"])
    assert graphs.target_names == ["active"] == pickle.loads(pickle.dumps(graphs)).target_names


def test_smiles_that_are_given_with_graphs():
    graphs = GraphSet(as_dicts(), smiles=["C1CO1N", "C"])
    assert graphs.smiles == ("C1CO1N", "C") and graphs[1:].smiles == ("C",)
    with pytest.raises(ValueError, match="1 smiles for 2 graphs"):
        GraphSet(as_dicts(), smiles=["C"])


def test_dicts_of_nodes_and_their_ids():
    graphs = [{**graph, "id": name, "target": 1} for graph, name in zip(as_dicts(), ["first", 2])]
    by_node = [{**graph, "node_labels": dict(reversed(list(enumerate(graph["node_labels"]))))} for graph in graphs]
    np.testing.assert_array_equal(vectors(by_node), vectors(graphs))
    assert GraphSet(graphs).ids == ["first", "2"] and GraphSet(graphs).y is None
    with pytest.raises(ValueError, match="those of dicts are not read"):
        gckn.GCKNClassifier().fit(graphs)


@pytest.mark.parametrize("kind", ["dok_array", "dok_matrix", "lil_array", "coo_matrix", "bsr_array"])
def test_matrices_of_scipy(kind):
    dense = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=float)
    rows = np.array([[0.5, 1], [0, 2], [3, 0.25]])
    expected = vectors_of_attributes([(scipy.sparse.csr_array(dense), rows)] * 2)
    made = getattr(scipy.sparse, kind)(dense)
    assert GraphSet([made]).num_edges == 2
    np.testing.assert_array_equal(
        vectors_of_attributes([(made, getattr(scipy.sparse, kind)(rows)), (made, rows)]), expected
    )


def vectors_of_attributes(graphs):
    return gckn.GCKNTransformer(path_length=1, filters=4).fit_transform(graphs)


def test_networkx():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_nodes_from((f"n{i}", {"label": word}) for i, word in enumerate(WORDS))
    graph.add_edges_from((f"n{u}", f"n{v}", {"label": bond}) for (u, v), bond in zip(EDGES, BONDS))
    single = networkx.Graph()
    single.add_node("alone", label="C")
    np.testing.assert_array_equal(vectors([graph, single]), vectors(as_dicts()))
    with pytest.raises(ValueError, match="graph 1 is directed"):
        GraphSet([graph, graph.to_directed()])
    with pytest.raises(ValueError, match="graph 0 is a multigraph"):
        GraphSet([networkx.MultiGraph(graph)])
    unlabelled = networkx.path_graph(3)
    with pytest.raises(ValueError, match="graph 1: has no node labels"):
        GraphSet([graph, unlabelled])
    partly = networkx.path_graph(3)
    partly.nodes[0]["label"] = "C"
    with pytest.raises(ValueError, match="graph 0: one of the node labels is missing"):
        GraphSet([partly])


def test_igraph():
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(n=4, edges=EDGES)
    graph.vs["label"], graph.es["label"] = WORDS, BONDS
    single = igraph.Graph(n=1)
    single.vs["label"] = ["C"]
    np.testing.assert_array_equal(vectors([graph, single]), vectors(as_dicts()))
    with pytest.raises(ValueError, match="graph 0 is directed"):
        GraphSet([igraph.Graph(n=2, edges=[(0, 1)], directed=True)])


def test_grakel_tuples():
    labels = dict(enumerate(WORDS))
    bonds = {edge: bond for edge, bond in zip(EDGES, BONDS)}
    graphs = [(EDGES, labels, bonds), ({}, {0: "C"}, {})]
    np.testing.assert_array_equal(vectors(graphs), vectors(as_dicts()))
    neighbours = {u: [v for v in range(4) if (u, v) in EDGES or (v, u) in EDGES] for u in range(4)}
    assert GraphSet([[neighbours, labels]])[0].num_edges == 4


class Tensor:
    """What gckn uses of torch's tensors."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.shape = self.values.shape

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


def pyg(x, edges, **others):
    both_ways = np.array([*edges, *[(v, u) for u, v in edges]]).reshape(-1, 2).T
    return types.SimpleNamespace(edge_index=Tensor(both_ways), x=Tensor(x), num_nodes=len(x), **others)


NUMBERS = [6, 6, 8, 7]


def test_pytorch_geometric_without_torch():
    bonds = Tensor([1, 2, 1, 1] * 2)
    single = pyg([[6]], [], edge_attr=Tensor(np.zeros(0, dtype=np.int64)))
    graphs = [pyg([[n] for n in NUMBERS], EDGES, edge_attr=bonds), single]
    expected = vectors(
        [
            {"edges": EDGES, "node_labels": NUMBERS, "edge_labels": [1, 2, 1, 1]},
            {"num_nodes": 1, "node_labels": [6]},
        ]
    )
    np.testing.assert_array_equal(vectors(graphs), expected)
    batch = types.SimpleNamespace(
        edge_index=graphs[0].edge_index,
        x=Tensor([[n] for n in [*NUMBERS, 6]]),
        edge_attr=bonds,
        num_nodes=5,
        ptr=Tensor([0, 4, 5]),
    )
    np.testing.assert_array_equal(vectors(batch), expected)


def test_one_hot_rows_are_labels_and_others_are_attributes():
    one_hot = np.eye(3)[[0, 0, 1, 2]]
    assert GraphSet([pyg(one_hot, EDGES)])._set.num_node_labels == 3
    measured = GraphSet([pyg(one_hot + 0.5, EDGES)])
    assert measured._set.node_attribute_columns == 3 and not measured._set.has_node_labels
    with pytest.raises(ValueError, match="graph 1: node features of 2 columns, where others have 3"):
        GraphSet([pyg(one_hot, EDGES), pyg(one_hot[:, :2], EDGES)])
    with pytest.raises(ValueError, match="graph 1: node attributes of node 2 are not all finite"):
        GraphSet([pyg(one_hot + 0.5, EDGES), pyg(np.where(np.arange(4)[:, None] == 2, np.nan, one_hot), EDGES)])


def test_dgl_without_dgl():
    def dgl(ends):
        return types.SimpleNamespace(
            edges=lambda: (Tensor(ends[0]), Tensor(ends[1])),
            num_nodes=lambda: 4,
            ndata={"label": Tensor(NUMBERS)},
            edata={},
        )

    one_way = np.array(EDGES).T
    graph = dgl(np.concatenate([one_way, one_way[::-1]], axis=1))
    assert GraphSet([graph, graph]).num_edges == 8
    with pytest.raises(ValueError, match="graph 1 is directed"):
        GraphSet([graph, dgl(one_way)])


def test_adjacency_matrices():
    adjacency = np.zeros((4, 4))
    for u, v in EDGES:
        adjacency[u, v] = adjacency[v, u] = 1
    sparse = scipy.sparse.csr_matrix(adjacency)
    assert GraphSet([sparse]).num_edges == 4
    assert GraphSet([(sparse, np.array(NUMBERS))])._set.num_node_labels == 3
    with pytest.raises(ValueError, match="graph 1 is directed"):
        GraphSet([sparse, scipy.sparse.csr_matrix(np.triu(adjacency))])


def test_flat_arrays_there_and_back():
    graphs = GraphSet.from_arrays([4, 1], np.array(EDGES).T, node_labels=[*WORDS, "C"], edge_labels=BONDS)
    np.testing.assert_array_equal(vectors(graphs), vectors(as_dicts()))
    arrays = graphs.to_arrays()
    assert arrays["sizes"].tolist() == [4, 1] and sorted(arrays["node_label_names"].values()) == ["C", "N", "O"]
    joined = GraphSet.concatenate([graphs[1], graphs[0]])
    np.testing.assert_array_equal(vectors(joined), vectors(graphs)[::-1])


def test_files_of_the_command(tmp_path, motif):
    motif.save(tmp_path / "motif.jsonl")
    again = gckn.load(tmp_path / "motif.jsonl")
    np.testing.assert_array_equal(again.y, motif.y)
    plain = gckn.GCKNTransformer(path_length=2, filters=8)
    np.testing.assert_array_equal(plain.fit_transform(again), plain.fit_transform(motif))
    assert again.num_edges == motif.num_edges
    with pytest.raises(ValueError, match="nowhere"):
        gckn.load(tmp_path / "nowhere.jsonl")


def test_benchmark_sets(datasets):
    mutag = gckn.load(datasets / "MUTAG.zip")
    assert len(mutag) == 188 and sorted(set(mutag.y.tolist())) == [-1, 1]
    assert len(gckn.load(datasets / "gin" / "MUTAG.zip").folds) == 10
