# SPDX-License-Identifier: BSD-3-Clause
"""Plain dicts, with the keys of the command's JSON lines (docs/formats.md)."""

from __future__ import annotations

from typing import Any

from ..graphs import GraphSet
from .parts import Collector

_KEYS = ("num_nodes", "edges", "node_labels", "edge_labels", "node_attributes", "edge_attributes")


def convert(graphs: list[dict[str, Any]], reading: Any = None) -> GraphSet:
    collected = Collector()
    for index, graph in enumerate(graphs):
        unknown = [key for key in graph if key not in _KEYS and key not in ("id", "target", "name")]
        if unknown:
            raise ValueError(f"graph {index}: key {unknown[0]!r} is not known; known are {', '.join(_KEYS)}")
        edges = graph.get("edges", [])
        if not all(len(edge) == 2 for edge in edges):
            raise ValueError(f"graph {index}: an edge is a pair of node numbers")
        ends = ([int(u) for u, _ in edges], [int(v) for _, v in edges])
        columns = {key: list(graph[key]) for key in _KEYS[2:] if graph.get(key) is not None}
        size = graph.get("num_nodes")
        if size is None:
            of_nodes = [len(columns[key]) for key in ("node_labels", "node_attributes") if key in columns]
            size = of_nodes[0] if of_nodes else max([*ends[0], *ends[1]], default=-1) + 1
        outside = next((u for side in ends for u in side if not 0 <= u < size), None)
        if outside is not None:
            raise ValueError(f"graph {index}: an edge names node {outside}, and there are {size}, numbered from 0")
        collected.add(int(size), ends)
        for key in _KEYS[2:]:
            collected.put(key.replace("_", " "), columns.get(key, []), int(size) if key[0] == "n" else len(edges))
    return collected.build("graphs")
