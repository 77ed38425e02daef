# SPDX-License-Identifier: BSD-3-Clause
"""GraKeL's graphs: a tuple of edges (pairs, or a dict of neighbours, or an adjacency matrix), node labels and edge
labels, both dicts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..graphs import GraphSet
from .parts import Collector


def is_one(graph: Any) -> bool:
    return (
        isinstance(graph, (tuple, list))
        and 1 <= len(graph) <= 3
        and isinstance(graph[0], (dict, set, list, np.ndarray))
        and not hasattr(graph[0], "tocoo")  # scipy's dok matrices are dicts
        and all(part is None or isinstance(part, dict) for part in graph[1:])
    )


def _edges_and_nodes(edges: Any, graph: int) -> tuple[list[tuple[Any, Any]], Iterable[Any]]:
    """Pairs of nodes, and nodes that need not be in one."""
    if isinstance(edges, dict) and edges and not all(isinstance(key, tuple) for key in edges):
        for node, neighbours in edges.items():
            if not isinstance(neighbours, (list, tuple, set, dict)):
                raise ValueError(f"graph {graph}: neighbours of node {node!r} are {neighbours!r}, and not a list")
        return [(u, v) for u, neighbours in edges.items() for v in neighbours], edges
    if isinstance(edges, np.ndarray) or (isinstance(edges, list) and edges and not isinstance(edges[0], tuple)):
        return _of_matrix(edges, graph)
    if not all(isinstance(edge, tuple) and len(edge) in (2, 3) for edge in edges):
        raise ValueError(f"graph {graph}: edges are pairs of nodes, or triples with a weight")
    return [(edge[0], edge[1]) for edge in edges], ()


def _of_matrix(rows: Any, graph: int) -> tuple[list[tuple[Any, Any]], Iterable[Any]]:
    try:
        matrix = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"graph {graph}: edges are neither pairs of nodes nor a matrix of numbers") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"graph {graph}: an adjacency matrix of shape {matrix.shape}")
    if (matrix != matrix.T).any():  # of NaN, too
        raise ValueError(f"graph {graph} is directed, its matrix not symmetric: give matrix + matrix.T")
    return [(int(u), int(v)) for u, v in zip(*np.nonzero(matrix))], range(len(matrix))


def convert(graphs: list[Any], reading: Any = None) -> GraphSet:
    collected = Collector()
    for index, graph in enumerate(graphs):
        node_labels = (graph[1] if len(graph) > 1 else None) or {}
        edge_labels = (graph[2] if len(graph) > 2 else None) or {}
        pairs, others = _edges_and_nodes(graph[0], index)
        named = {node for pair in pairs for node in pair} | set(node_labels) | set(others)
        nodes = sorted(named, key=lambda node: (str(type(node)), node))
        number = {node: i for i, node in enumerate(nodes)}
        collected.add(len(nodes), ([number[u] for u, _ in pairs], [number[v] for _, v in pairs]))
        collected.put("node labels", [node_labels.get(node) for node in nodes] if node_labels else [], len(nodes))
        collected.put(
            "edge labels",
            [edge_labels.get((u, v), edge_labels.get((v, u))) for u, v in pairs] if edge_labels else [],
            len(pairs),
        )
    return collected.build("GraKeL graphs")
