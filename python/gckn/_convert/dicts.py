# SPDX-License-Identifier: BSD-3-Clause
"""Plain dicts, with the keys of the command's JSON lines (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..graphs import GraphSet
from .parts import Collector

_KEYS = ("num_nodes", "edges", "node_labels", "edge_labels", "node_attributes", "edge_attributes")


def _ends(edges: Any, graph: int) -> tuple[list[int], list[int]]:
    try:
        pairs = [(u, v) for u, v in edges]
    except (TypeError, ValueError):
        raise ValueError(f"graph {graph}: edges are a list of pairs of node numbers") from None
    odd = next((node for pair in pairs for node in pair if not isinstance(node, (int, np.integer))), None)
    if odd is not None:
        raise TypeError(f"graph {graph}: an edge names node {odd!r}: nodes are numbered from 0")
    return [int(u) for u, _ in pairs], [int(v) for _, v in pairs]


def _column(values: Any, key: str, graph: int) -> list[Any]:
    if isinstance(values, dict) and key.startswith("node"):
        return _by_number(values, key, graph)
    if isinstance(values, (str, bytes, dict, set, frozenset)) or not isinstance(values, Iterable):
        raise TypeError(f"graph {graph}: {key} are a list with an entry for each {key.partition('_')[0]}")
    return list(values)


def _by_number(values: dict[Any, Any], key: str, graph: int) -> list[Any]:
    strange = [node for node in values if not isinstance(node, (int, np.integer)) or not 0 <= node < len(values)]
    if strange:
        raise ValueError(
            f"graph {graph}: {key} name node {strange[0]!r}, and have entries for {len(values)} nodes, which are "
            "numbered from 0"
        )
    return [values[node] for node in range(len(values))]


def convert(graphs: list[dict[str, Any]], reading: Any = None) -> GraphSet:
    collected = Collector()
    for index, graph in enumerate(graphs):
        unknown = [key for key in graph if key not in _KEYS and key not in ("id", "target", "name")]
        if unknown:
            raise ValueError(f"graph {index}: key {unknown[0]!r} is not known; known are {', '.join(_KEYS)}")
        ends = _ends(graph.get("edges", ()), index)
        columns = {key: _column(graph[key], key, index) for key in _KEYS[2:] if graph.get(key) is not None}
        size = graph.get("num_nodes")
        if size is not None:
            if not isinstance(size, (int, np.integer)):
                raise TypeError(f"graph {index}: num_nodes is {size!r}, and not a whole number")
            if size < 0:
                raise ValueError(f"graph {index}: num_nodes is {size}")
        else:
            of_nodes = [len(columns[key]) for key in ("node_labels", "node_attributes") if key in columns]
            size = of_nodes[0] if of_nodes else max([*ends[0], *ends[1]], default=-1) + 1
        outside = next((u for side in ends for u in side if not 0 <= u < size), None)
        if outside is not None:
            raise ValueError(f"graph {index}: an edge names node {outside}, and there are {size}, numbered from 0")
        collected.add(int(size), ends)
        collected.ids.append(str(graph.get("id", "")))
        for key in _KEYS[2:]:
            collected.put(key.replace("_", " "), columns.get(key, []), int(size) if key[0] == "n" else len(ends[0]))
    return collected.build("graphs")
