# SPDX-License-Identifier: BSD-3-Clause
"""From what other packages call graphs to a GraphSet. One file for each kind; none of these packages is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..graphs import GraphSet
from . import arrays, dicts, grakel, igraph, molecules, networkx
from .parts import concatenate
from .reading import AS_EVER, Reading


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda graph: all(hasattr(graph, name) for name in names)


# What it is called, how it is known, and what makes a set of a list of such.
_KINDS: list[tuple[str, Callable[[Any], bool], Callable[[list[Any], Reading], GraphSet]]] = [
    ("GraphSet", lambda graph: isinstance(graph, GraphSet), lambda graphs, _: concatenate(graphs)),
    ("SMILES", lambda graph: isinstance(graph, str), molecules.from_list),
    ("dict", lambda graph: isinstance(graph, dict) and not hasattr(graph, "tocoo"), dicts.convert),
    ("GraKeL's tuple", grakel.is_one, grakel.convert),
    ("tuple of adjacency and features", arrays.is_adjacency_with_features, arrays.convert_adjacency),
    ("RDKit molecule", _has("GetAtoms", "GetBonds"), molecules.from_rdkit),
    ("DGL graph", _has("ndata", "edata", "num_nodes"), arrays.convert_dgl),
    ("PyTorch Geometric graph", _has("edge_index", "num_nodes"), arrays.convert_pyg),
    ("igraph graph", _has("vs", "es", "get_edgelist"), igraph.convert),
    ("networkx graph", _has("nodes", "edges", "is_directed"), networkx.convert),
    ("scipy matrix", _has("tocoo", "shape"), arrays.convert_adjacency),
]


def _kind_of(graph: Any, index: int) -> int:
    if graph is None or (isinstance(graph, float) and graph != graph):
        raise TypeError(f"graph {index} is missing ({graph}): leave such rows out")
    for number, (_, is_one, _) in enumerate(_KINDS):
        if is_one(graph):
            return number
    raise TypeError(
        f"graph {index} is {_a(type(graph).__name__)}, which gckn does not know: give networkx, PyTorch Geometric, "
        "DGL, igraph or GraKeL graphs, scipy adjacency matrices, dicts, SMILES or RDKit molecules"
    )


def _a(word: str) -> str:
    return f"an {word}" if word[:1] in "aeiouAEIOU" else f"a {word}"


def as_graph_set(graphs: Any, reading: Reading = AS_EVER) -> GraphSet:
    if isinstance(graphs, GraphSet):
        return graphs
    if isinstance(graphs, (str, bytes)):
        raise TypeError("graphs are a list: give [smiles] for one molecule, or gckn.load(path) for a file")
    if hasattr(graphs, "columns"):
        raise TypeError("this is a table: give the column that holds the graphs or SMILES")
    if hasattr(graphs, "edge_index") and getattr(graphs, "ptr", None) is not None:
        return arrays.convert_pyg_batch(graphs, reading)
    if hasattr(graphs, "to_list"):  # a column of pandas or polars
        graphs = graphs.to_list()
    if not _is_collection(graphs) or _is_graph(graphs):
        raise TypeError(f"graphs are a list, and this is {_a(type(graphs).__name__)}: give [graph] for one of them")
    graphs = list(graphs) if isinstance(graphs, Iterable) else [graphs[i] for i in range(len(graphs))]
    if not graphs:
        raise ValueError("the list of graphs is empty")
    kind = _kind_of(graphs[0], 0)
    name, is_one, convert = _KINDS[kind]
    for index, graph in enumerate(graphs):
        if type(graph) is type(graphs[0]) and kind != 3:
            continue
        if not is_one(graph):
            raise TypeError(
                f"graph {index} is {_a(_KINDS[_kind_of(graph, index)][0])} where graph 0 is {_a(name)}: "
                "give graphs of one kind"
            )
    return convert(graphs, reading)


def _is_collection(thing: Any) -> bool:
    """Data sets of PyTorch have a length and numbers only."""
    return isinstance(thing, Iterable) or (hasattr(thing, "__len__") and hasattr(thing, "__getitem__"))


def _is_graph(thing: Any) -> bool:
    return not isinstance(thing, (list, tuple)) and any(is_one(thing) for _, is_one, _ in _KINDS[1:])
