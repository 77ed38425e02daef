# SPDX-License-Identifier: BSD-3-Clause
"""Graphs that are arrays already: PyTorch Geometric, DGL, scipy adjacency matrices. No loop over nodes.

Features that are whole numbers in one column, or rows with a single one among zeros (as PyTorch Geometric has the
labels of TU sets), are labels; others are attributes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..graphs import GraphSet
from .parts import Parts

Numbers = npt.NDArray[Any]


def to_numpy(tensor: Any) -> Numbers:
    """Of anything that has the manners of a tensor."""
    if hasattr(tensor, "detach"):
        tensor = tensor.detach().cpu()
    return tensor.numpy() if hasattr(tensor, "numpy") else np.asarray(tensor)


def _as_table(features: Numbers) -> Numbers:
    return features if features.ndim == 2 else features.reshape(len(features), int(np.prod(features.shape[1:])))


def _labels_or_attributes(features: Numbers | None) -> tuple[Numbers | None, Numbers | None]:
    if features is None:
        return None, None
    table = _as_table(features)
    if table.shape[1] == 0:
        return None, None
    if table.shape[1] == 1 and np.issubdtype(table.dtype, np.integer):
        return table[:, 0], None
    if table.shape[1] > 1 and ((table == 0) | (table == 1)).all() and (table.sum(axis=1) == 1).all():
        return table.argmax(axis=1), None
    return None, table


def _build(
    sizes: list[int], ends: list[Numbers], node_features: list[Any], edge_features: list[Any], name: str
) -> GraphSet:
    """Ends of edges by nodes of their graph."""
    ends = [e if e.size else np.zeros((2, 0), dtype=np.int64) for e in ends]
    counts = np.array([e.shape[1] for e in ends])
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    edges = np.concatenate(ends, axis=1) if ends else np.zeros((2, 0), dtype=np.int64)
    edges = edges + np.repeat(begins, counts)
    for graph, (size, end) in enumerate(zip(sizes, ends)):
        if end.size and (end.max() >= size or end.min() < 0):
            raise ValueError(f"graph {graph} has an edge with node {int(end.max())}, and {size} nodes")
    joined = [_join(node_features, sizes, "node features"), _join(edge_features, counts.tolist(), "edge features")]
    node_labels, node_attributes = _labels_or_attributes(joined[0])
    edge_labels, edge_attributes = _labels_or_attributes(joined[1])
    return Parts.of_arrays(np.array(sizes), edges, node_labels, edge_labels, node_attributes, edge_attributes).build(
        name
    )


def _join(features: list[Any], counts: list[int], what: str) -> Numbers | None:
    present = [f is not None for f in features]
    if not any(present):
        return None
    if not all(present):
        raise ValueError(f"graph {present.index(False)} has no {what}, and others have them")
    tables = [_as_table(f) for f in features]
    width = tables[0].shape[1]
    for graph, (table, count) in enumerate(zip(tables, counts)):
        if table.shape[1] != width:
            raise ValueError(f"graph {graph}: {what} of {table.shape[1]} columns, where others have {width}")
        if len(table) != count:
            raise ValueError(f"graph {graph}: {len(table)} rows of {what} for {count} {what.split()[0]}s")
    return np.concatenate(tables)


def convert_pyg(graphs: list[Any], reading: Any = None) -> GraphSet:
    ends = [to_numpy(graph.edge_index) for graph in graphs]
    x = [to_numpy(graph.x) if getattr(graph, "x", None) is not None else None for graph in graphs]
    sizes = [len(f) if f is not None else int(graph.num_nodes) for f, graph in zip(x, graphs)]
    edge = [to_numpy(g.edge_attr) if getattr(g, "edge_attr", None) is not None else None for g in graphs]
    return _build(sizes, ends, x, edge, "PyTorch Geometric graphs")


def convert_pyg_batch(batch: Any) -> GraphSet:
    """Of a Batch, whose nodes are numbered through already."""
    sizes = np.diff(to_numpy(batch.ptr))
    features = [
        to_numpy(getattr(batch, key)) if getattr(batch, key, None) is not None else None for key in ("x", "edge_attr")
    ]
    (node_labels, node_attributes), (edge_labels, edge_attributes) = map(_labels_or_attributes, features)
    edges = to_numpy(batch.edge_index)
    return Parts.of_arrays(sizes, edges, node_labels, edge_labels, node_attributes, edge_attributes).build(
        "PyTorch Geometric batch"
    )


def _dgl_features(data: Any) -> Numbers | None:
    keys = [key for key in ("label", "feat", "attr", "x") if key in data]
    return to_numpy(data[keys[0]]) if keys else None


def convert_dgl(graphs: list[Any], reading: Any = None) -> GraphSet:
    ends = [np.stack([to_numpy(side) for side in graph.edges()]) for graph in graphs]
    sizes = [int(graph.num_nodes()) for graph in graphs]
    node = [_dgl_features(graph.ndata) for graph in graphs]
    edge = [_dgl_features(graph.edata) for graph in graphs]
    return _build(sizes, ends, node, edge, "DGL graphs")


def is_adjacency_with_features(graph: Any) -> bool:
    return isinstance(graph, tuple) and len(graph) == 2 and hasattr(graph[0], "tocoo")


def convert_adjacency(graphs: list[Any], reading: Any = None) -> GraphSet:
    """Adjacency matrices of scipy, alone or with an array of node features or labels each."""
    pairs = [graph if isinstance(graph, tuple) else (graph, None) for graph in graphs]
    ends, sizes = [], []
    for index, (adjacency, _) in enumerate(pairs):
        if adjacency.shape[0] != adjacency.shape[1]:
            raise ValueError(f"graph {index}: an adjacency matrix of shape {adjacency.shape}")
        if abs(adjacency - adjacency.T).max() > 0:
            raise ValueError(f"graph {index} is directed, its matrix not symmetric: give matrix + matrix.T")
        coo = adjacency.tocoo()
        there = coo.data != 0
        ends.append(np.stack([coo.row[there], coo.col[there]]).astype(np.int64))
        sizes.append(adjacency.shape[0])
    features = [None if f is None else np.asarray(f) for _, f in pairs]
    return _build(sizes, ends, features, [None] * len(ends), "adjacency matrices")
