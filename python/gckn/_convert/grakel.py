# SPDX-License-Identifier: BSD-3-Clause
"""GraKeL's graphs: a tuple of edges (pairs, or a dict of neighbours, or an adjacency matrix), node labels and edge
labels, both dicts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graphs import GraphSet
from .parts import Collector


def is_one(graph: Any) -> bool:
    return (
        isinstance(graph, (tuple, list))
        and 1 <= len(graph) <= 3
        and (isinstance(graph[0], (dict, set, list, np.ndarray)))
        and all(part is None or isinstance(part, dict) for part in graph[1:])
    )


def _pairs(edges: Any) -> list[tuple[Any, Any]]:
    if isinstance(edges, dict):
        if all(isinstance(key, tuple) for key in edges):  # (u, v): weight
            return list(edges)
        return [(u, v) for u, neighbours in edges.items() for v in neighbours]
    if isinstance(edges, np.ndarray):
        return [(int(u), int(v)) for u, v in zip(*np.nonzero(edges))]
    if isinstance(edges, list) and edges and not isinstance(edges[0], tuple):
        return _pairs(np.asarray(edges))
    return [(edge[0], edge[1]) for edge in edges]


def convert(graphs: list[Any], reading: Any = None) -> GraphSet:
    collected = Collector()
    for graph in graphs:
        node_labels = (graph[1] if len(graph) > 1 else None) or {}
        edge_labels = (graph[2] if len(graph) > 2 else None) or {}
        pairs = _pairs(graph[0])
        named = {node for pair in pairs for node in pair} | set(node_labels)
        if isinstance(graph[0], np.ndarray):
            named |= set(range(len(graph[0])))
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
