# SPDX-License-Identifier: BSD-3-Clause
"""networkx graphs: node and edge data "label", and "attributes" (or "x") of nodes."""

from __future__ import annotations

from typing import Any

from ..graphs import GraphSet
from .parts import Collector


def _column(rows: list[Any], key: str) -> list[Any]:
    """The values under a key; none if no row has it."""
    values = [row.get(key) for row in rows]
    return [] if all(value is None for value in values) else values


def convert(graphs: list[Any], reading: Any = None) -> GraphSet:
    collected = Collector()
    for index, graph in enumerate(graphs):
        if graph.is_directed():
            raise ValueError(f"graph {index} is directed: give graph.to_undirected()")
        if graph.is_multigraph():
            raise ValueError(f"graph {index} is a multigraph: give networkx.Graph(graph)")
        number = {node: i for i, node in enumerate(graph)}
        edges = list(graph.edges(data=True))
        collected.add(len(number), ([number[u] for u, _, _ in edges], [number[v] for _, v, _ in edges]))
        nodes = [data for _, data in graph.nodes(data=True)]
        collected.put("node labels", _column(nodes, "label"), len(nodes))
        collected.put("node attributes", _column(nodes, "attributes") or _column(nodes, "x"), len(nodes))
        collected.put("edge labels", _column([data for _, _, data in edges], "label"), len(edges))
    return collected.build("networkx graphs")
