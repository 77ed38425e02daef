# SPDX-License-Identifier: BSD-3-Clause
"""Graphs that are arrays already: PyTorch Geometric, DGL, scipy adjacency matrices. No loop over nodes.

Features that are whole numbers in one column, or rows with a single one among zeros (as PyTorch Geometric has the
labels of TU sets), are labels; others are attributes. New graphs for a model are read as those it learnt from.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..graphs import GraphSet
from .parts import Parts
from .reading import AS_EVER, Reading

Numbers = npt.NDArray[Any]


def to_numpy(tensor: Any) -> Numbers:
    """Of anything that has the manners of a tensor."""
    if isinstance(tensor, np.ndarray):
        return tensor
    if hasattr(tensor, "tocoo"):  # scipy's
        return np.asarray(tensor.toarray())
    if getattr(tensor, "is_sparse", False):  # PyTorch's
        tensor = tensor.to_dense()
    try:
        array: Numbers = tensor.numpy()
    except (RuntimeError, TypeError):  # of gradients, of another device, or of a kind that NumPy lacks
        held = tensor.detach().cpu()
        array = (held.float() if str(held.dtype) == "torch.bfloat16" else held).numpy()
    except AttributeError:
        array = np.asarray(tensor)
    return array


def _cat(tensors: list[Any], axis: int = 0) -> Numbers:
    """One array of many. Where tensors are, torch is loaded, and joins them sooner than each becomes an array."""
    torch = sys.modules.get("torch")
    if torch is not None and all(type(tensor) is torch.Tensor for tensor in tensors):
        try:
            return to_numpy(torch.cat(tensors, axis))
        except RuntimeError as error:  # of different shapes, or devices
            raise ValueError(str(error)) from None
    joined: Numbers = np.concatenate([to_numpy(tensor) for tensor in tensors], axis=axis)
    return joined


def _as_table(features: Numbers) -> Numbers:
    return features if features.ndim == 2 else features.reshape(len(features), int(np.prod(features.shape[1:])))


def _labels_or_attributes(
    features: Numbers | None, wanted: str | None, what: str, graph_of: Callable[[int], int]
) -> tuple[Numbers | None, Numbers | None]:
    """wanted: what the features of a model's training graphs were. graph_of: that of a row."""
    if features is None:
        return None, None
    table = _as_table(features)
    if table.shape[1] == 0:
        return None, None
    if wanted == "attributes":
        return None, table
    if table.shape[1] == 1 and np.issubdtype(table.dtype, np.integer):
        return table[:, 0], None
    if wanted is None and np.count_nonzero(table) != len(table):
        return None, table
    largest = table.argmax(axis=1) if len(table) else np.zeros(0, dtype=np.int64)
    is_label = (np.count_nonzero(table, axis=1) == 1) & (table[np.arange(len(table)), largest] == 1)
    if table.shape[1] > 1 and is_label.all():
        return largest, None
    if wanted == "labels":
        row = int(np.argmin(is_label)) if table.shape[1] > 1 else 0
        raise ValueError(
            f"graph {graph_of(row)}: {what} {table[row].tolist()} are no label, and those that the model learnt from "
            "were: whole numbers in one column, or a single one among zeros"
        )
    return None, table


def _build(
    sizes: list[int],
    ends: list[Any],
    node_features: list[Any],
    edge_features: list[Any],
    reading: Reading,
    name: str,
) -> GraphSet:
    """Of tensors or arrays; ends of edges by nodes of their graph."""
    own, counts = _joined_ends(ends)
    limits = np.repeat(sizes, counts)
    if own.min(initial=0) < 0 or (np.maximum(own[0], own[1]) >= limits).any():
        wrong = (own < 0) | (own >= limits)
        at = int(np.flatnonzero(wrong.any(axis=0))[0])
        graph = int(np.searchsorted(np.cumsum(counts), at, side="right"))
        node = int(own[:, at][wrong[:, at]][0])
        raise ValueError(f"graph {graph} has an edge with node {node}, and {sizes[graph]} nodes, numbered from 0")
    edges = own + np.repeat(np.cumsum(sizes) - sizes, counts)
    joined = [_join(node_features, sizes, "node features"), _join(edge_features, counts.tolist(), "edge features")]
    return _built(np.array(sizes), edges, joined[0], joined[1], reading, name, checked=True)


def _joined_ends(ends: list[Any]) -> tuple[Numbers, Numbers]:
    """The edges of all, and by graph how many there are."""
    try:
        own = _cat(ends, 1)
        if len(own) == 2 and own.dtype.kind in "iu":
            return own, np.array([end.shape[1] for end in ends])
    except (ValueError, IndexError):
        pass  # of different shapes: the first that is wrong is named
    arrays = [to_numpy(end) for end in ends]
    for graph, end in enumerate(arrays):
        if end.size and (end.ndim != 2 or end.shape[0] != 2):
            raise ValueError(f"graph {graph}: edges of shape {end.shape}, where 2 x their number belongs")
        if end.size and end.dtype.kind not in "iu":
            raise TypeError(f"graph {graph}: the ends of edges are whole numbers, and not {end.dtype}")
    none = np.zeros((2, 0), dtype=np.int64)  # where there are none, they may be of any shape and type
    arrays = [end if end.size else none for end in arrays]
    return np.concatenate(arrays, axis=1), np.array([end.shape[1] for end in arrays])


def _built(
    sizes: Numbers,
    edges: Numbers,
    node_features: Numbers | None,
    edge_features: Numbers | None,
    reading: Reading,
    name: str,
    checked: bool = False,
) -> GraphSet:
    """Nodes are numbered through all graphs. checked: edges are known to be of one graph each."""

    def graph_of(node: int) -> int:
        return int(np.searchsorted(np.cumsum(sizes), node, side="right"))

    node_labels, node_attributes = _labels_or_attributes(node_features, reading.nodes, "node features", graph_of)
    edge_labels, edge_attributes = _labels_or_attributes(
        edge_features, reading.edges, "edge features", lambda edge: graph_of(edges[0, edge])
    )
    parts = Parts.of_arrays(sizes, edges, node_labels, edge_labels, node_attributes, edge_attributes, checked)
    graphs = parts.build(name)
    _require_both_ways(parts, graphs.num_edges)
    return graphs


def _require_both_ways(parts: Parts, num_edges: int) -> None:
    """Of packages in which an edge is two arcs. num_edges: between different nodes, each counted once."""
    u, v = parts.edge_from.astype(np.int64, copy=False), parts.edge_to.astype(np.int64, copy=False)
    rising, falling = u < v, u > v
    if (
        np.count_nonzero(rising) == np.count_nonzero(falling) == num_edges
        and u[rising].sum() == v[falling].sum()
        and v[rising].sum() == u[falling].sum()
    ):
        return
    nodes = int(parts.sizes.sum())
    alone = ~np.isin(u * nodes + v, v * nodes + u)  # none where an edge is only listed more often in one direction
    if alone.any():
        graph = int(np.searchsorted(np.cumsum(parts.sizes), u[alone][0], side="right"))
        raise ValueError(
            f"graph {graph} is directed: every edge must be there in both directions (torch_geometric.transforms."
            "ToUndirected()(data) or dgl.to_bidirected(graph) make it so)"
        )


def _join(features: list[Any], counts: list[int], what: str) -> Numbers | None:
    present = [f is not None for f in features]
    if not any(present):
        return None
    if not all(present):
        raise ValueError(f"graph {present.index(False)} has no {what}, and others have them")
    for graph, f in enumerate(features):
        if len(f.shape) == 0:
            raise ValueError(f"graph {graph}: {what} are one number, where a row for each {what.split()[0]} belongs")
    if [f.shape[0] for f in features] == counts and not any(hasattr(f, "tocoo") for f in features):
        with contextlib.suppress(ValueError):  # of different widths: the first is named
            return _cat(features)
    tables = [_as_table(to_numpy(f)) for f in features]
    width = tables[0].shape[1]
    for graph, (table, count) in enumerate(zip(tables, counts)):
        if table.shape[1] != width:
            raise ValueError(f"graph {graph}: {what} of {table.shape[1]} columns, where others have {width}")
        if len(table) != count:
            raise ValueError(f"graph {graph}: {len(table)} rows of {what} for {count} {what.split()[0]}s")
    return np.concatenate(tables)


def _fields(graph: Any) -> dict[str, Any]:
    """Those of a Data object. It looks each of its attributes up in several places, and has all at once for less."""
    if hasattr(graph, "to_dict"):
        fields: dict[str, Any] = graph.to_dict()
        return fields
    return {name: getattr(graph, name, None) for name in ("edge_index", "x", "edge_attr", "ptr")}


def convert_pyg(graphs: list[Any], reading: Reading = AS_EVER) -> GraphSet:
    fields = [_fields(graph) for graph in graphs]
    for index, of_graph in enumerate(fields):
        if of_graph.get("edge_index") is None:
            raise ValueError(f"graph {index} has no edge_index: one of shape 2 x 0 says that there are no edges")
        if of_graph.get("ptr") is not None:
            raise TypeError(f"graph {index} is a batch of several: give one batch, or batch.to_data_list()")
    ends, x, edge_attr = ([of_graph.get(key) for of_graph in fields] for key in ("edge_index", "x", "edge_attr"))
    sizes = [int(graph.num_nodes) if rows is None else rows.shape[0] for rows, graph in zip(x, graphs)]
    return _build(sizes, ends, x, edge_attr, reading, "PyTorch Geometric graphs")


def convert_pyg_batch(batch: Any, reading: Reading = AS_EVER) -> GraphSet:
    """Of a Batch, whose nodes are numbered through already."""
    fields = _fields(batch)
    sizes, edges = np.diff(to_numpy(fields["ptr"])), to_numpy(fields["edge_index"])
    x, edge_attr = _array_of(fields, "x"), _array_of(fields, "edge_attr")
    return _built(sizes, edges, x, edge_attr, reading, "PyTorch Geometric batch")


def _array_of(fields: dict[str, Any], key: str) -> Numbers | None:
    tensor = fields.get(key)
    return None if tensor is None else to_numpy(tensor)


def _dgl_features(data: Any) -> Numbers | None:
    keys = [key for key in ("label", "feat", "attr", "x") if key in data]
    return to_numpy(data[keys[0]]) if keys else None


def convert_dgl(graphs: list[Any], reading: Reading = AS_EVER) -> GraphSet:
    ends = [np.stack([to_numpy(side) for side in graph.edges()]) for graph in graphs]
    sizes = [int(graph.num_nodes()) for graph in graphs]
    node = [_dgl_features(graph.ndata) for graph in graphs]
    edge = [_dgl_features(graph.edata) for graph in graphs]
    return _build(sizes, ends, node, edge, reading, "DGL graphs")


def is_adjacency_with_features(graph: Any) -> bool:
    return isinstance(graph, tuple) and len(graph) == 2 and hasattr(graph[0], "tocoo")


def convert_adjacency(graphs: list[Any], reading: Reading = AS_EVER) -> GraphSet:
    """Adjacency matrices of scipy, alone or with an array of node features or labels each."""
    pairs = [graph if isinstance(graph, tuple) else (graph, None) for graph in graphs]
    ends, sizes = [], []
    for index, (adjacency, _) in enumerate(pairs):
        if len(adjacency.shape) != 2 or adjacency.shape[0] != adjacency.shape[1]:
            raise ValueError(f"graph {index}: an adjacency matrix of shape {adjacency.shape}")
        coo = adjacency.tocoo()
        if not np.isfinite(coo.data).all():
            raise ValueError(f"graph {index}: an adjacency matrix with {coo.data[~np.isfinite(coo.data)][0]} in it")
        matrix = coo.tocsr()
        if (matrix != matrix.T).nnz:
            raise ValueError(f"graph {index} is directed, its matrix not symmetric: give matrix + matrix.T")
        there = coo.data != 0
        ends.append(np.stack([coo.row[there], coo.col[there]]).astype(np.int64))
        sizes.append(adjacency.shape[0])
    features = [None if f is None else _features_of(f, index) for index, (_, f) in enumerate(pairs)]
    return _build(sizes, ends, features, [None] * len(ends), reading, "adjacency matrices")


def _features_of(features: Any, graph: int) -> Numbers:
    try:
        return to_numpy(features)
    except ValueError:
        raise ValueError(f"graph {graph}: node features have rows of different length") from None
