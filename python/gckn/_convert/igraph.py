# SPDX-License-Identifier: BSD-3-Clause
"""igraph graphs: vertex and edge attributes "label", and "attributes" (or "x") of vertices."""

from __future__ import annotations

from typing import Any

from ..graphs import GraphSet
from .parts import Collector


def _column(things: Any, key: str) -> list[Any]:
    """The values of an attribute; none if no vertex or edge has it."""
    values = things[key] if key in things.attributes() else []
    return [] if all(value is None for value in values) else values


def convert(graphs: list[Any], reading: Any = None) -> GraphSet:
    collected = Collector()
    for index, graph in enumerate(graphs):
        if graph.is_directed():
            raise ValueError(f"graph {index} is directed: give graph.as_undirected()")
        if graph.has_multiple():
            raise ValueError(f"graph {index} has several edges between two vertices: give graph.simplify()")
        edges = graph.get_edgelist()
        collected.add(graph.vcount(), ([u for u, _ in edges], [v for _, v in edges]))
        attributes = _column(graph.vs, "attributes") or _column(graph.vs, "x")
        collected.put("node labels", _column(graph.vs, "label"), graph.vcount())
        collected.put("node attributes", attributes, graph.vcount())
        collected.put("edge labels", _column(graph.es, "label"), len(edges))
    return collected.build("igraph graphs")
