# SPDX-License-Identifier: BSD-3-Clause
"""igraph graphs: vertex and edge attributes "label", and "attributes" (or "x") of vertices."""

from __future__ import annotations

from typing import Any

from ..graphs import GraphSet
from .parts import Collector


def convert(graphs: list[Any], reading: Any = None) -> GraphSet:
    collected = Collector()
    for index, graph in enumerate(graphs):
        if graph.is_directed():
            raise ValueError(f"graph {index} is directed: give graph.as_undirected()")
        if graph.has_multiple():
            raise ValueError(f"graph {index} has several edges between two vertices: give graph.simplify()")
        edges = graph.get_edgelist()
        collected.add(graph.vcount(), ([u for u, _ in edges], [v for _, v in edges]))
        vertex_keys = graph.vs.attributes()
        for key in ("attributes", "x"):
            if key in vertex_keys:
                collected.put("node attributes", graph.vs[key], graph.vcount())
                break
        if "label" in vertex_keys:
            collected.put("node labels", graph.vs["label"], graph.vcount())
        if "label" in graph.es.attributes():
            collected.put("edge labels", graph.es["label"], len(edges))
    return collected.build("igraph graphs")
