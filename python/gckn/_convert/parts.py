# SPDX-License-Identifier: BSD-3-Clause
"""Flat arrays of many graphs, as the engine takes them, and the labels of all kinds that they may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..graphs import GraphSet

Numbers = npt.NDArray[Any]
_LARGEST = 2**32 - 1


@dataclass
class Parts:
    sizes: Numbers
    edge_from: Numbers
    edge_to: Numbers
    node_labels: Numbers | None = None
    edge_labels: Numbers | None = None
    node_attributes: Numbers | None = None
    edge_attributes: Numbers | None = None
    node_label_names: dict[int, str] = field(default_factory=dict)
    edge_label_names: dict[int, str] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)

    @classmethod
    def of_arrays(
        cls,
        sizes: npt.ArrayLike,
        edges: npt.ArrayLike,
        node_labels: Any = None,
        edge_labels: Any = None,
        node_attributes: Any = None,
        edge_attributes: Any = None,
    ) -> Parts:
        """Edges: 2 x their number, by nodes numbered through all graphs."""
        ends = np.asarray(edges)
        if ends.size == 0:
            ends = np.zeros((2, 0), dtype=np.int64)
        if ends.ndim != 2 or ends.shape[0] != 2:
            raise ValueError(f"edges have the shape {ends.shape}, where 2 x their number belongs")
        parts = cls(np.asarray(sizes), ends[0], ends[1])
        node_begins = _begins(parts.sizes)
        edge_graphs = _graph_of(ends[0], node_begins)
        if node_labels is not None:
            parts.node_labels, parts.node_label_names = encode_labels(
                node_labels, "node labels", lambda i: int(np.searchsorted(node_begins, i, side="right")) - 1
            )
        if edge_labels is not None:
            parts.edge_labels, parts.edge_label_names = encode_labels(
                edge_labels, "edge labels", lambda i: int(edge_graphs[i])
            )
        parts.node_attributes = _table(node_attributes, "node attributes", node_begins)
        parts.edge_attributes = None if edge_attributes is None else np.asarray(edge_attributes, dtype=np.float64)
        return parts

    def check(self) -> None:
        """What the engine would say of nodes numbered through all graphs is said of the graph."""
        for ends in (self.edge_from, self.edge_to):
            if ends.size and not np.issubdtype(ends.dtype, np.integer):
                raise TypeError("the ends of edges are whole numbers")
        if not self.edge_from.size:
            return
        nodes = int(self.sizes.sum())
        if max(nodes, int(self.edge_from.max()), int(self.edge_to.max())) > _LARGEST:
            raise ValueError("there are too many nodes")
        begins = _begins(self.sizes)
        graph = _graph_of(self.edge_from, begins)
        wrong = (
            (self.edge_from < 0)
            | (self.edge_from >= nodes)
            | (self.edge_to < begins[graph])
            | (self.edge_to >= begins[graph + 1])
        )
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            g = int(graph[at])
            raise ValueError(
                f"graph {g} has an edge between nodes {int(self.edge_from[at] - begins[g])} and "
                f"{int(self.edge_to[at] - begins[g])}, and {int(self.sizes[g])} nodes, numbered from 0"
            )

    def build(self, name: str, molecules: Any = None) -> GraphSet:
        self.check()

        def contiguous(values: Numbers | None, kind: Any) -> Any:
            return None if values is None else np.ascontiguousarray(values, dtype=kind)

        return GraphSet(
            _engine.graph_set(
                name=name,
                sizes=contiguous(self.sizes, np.uint32),
                edge_from=contiguous(self.edge_from, np.uint32),
                edge_to=contiguous(self.edge_to, np.uint32),
                node_labels=contiguous(self.node_labels, np.int64),
                node_label_names=self.node_label_names,
                edge_labels=contiguous(self.edge_labels, np.int64),
                edge_label_names=self.edge_label_names,
                node_attributes=contiguous(self.node_attributes, np.float64),
                edge_attributes=contiguous(self.edge_attributes, np.float64),
                graph_attributes=None,
                ids=self.ids,
                smiles=[],
                molecules=molecules,
                truth=[],
                folds=[],
            )
        )


def _begins(sizes: Numbers) -> Numbers:
    """By graph its first node, and behind the last the number of all."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _graph_of(nodes: Numbers, begins: Numbers) -> Numbers:
    last = max(len(begins) - 2, 0)
    return np.clip(np.searchsorted(begins, nodes, side="right") - 1, 0, last)


def _table(values: Any, what: str, begins: Numbers) -> Numbers | None:
    if values is None:
        return None
    try:
        table = np.asarray(values, dtype=np.float64)
    except ValueError as error:
        lengths = [np.size(row) for row in values]
        odd = next((i for i, n in enumerate(lengths) if n != lengths[0]), None)
        if odd is None:
            raise ValueError(f"{what} are not numbers: {error}") from None
        graph = int(np.searchsorted(begins, odd, side="right")) - 1
        raise ValueError(f"graph {graph}: {what} of {lengths[odd]} numbers, where others have {lengths[0]}") from None
    table = table.reshape(-1, 1) if table.ndim == 1 else table
    bad = ~np.isfinite(table).all(axis=1)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        graph = int(np.searchsorted(begins, row, side="right")) - 1
        raise ValueError(f"graph {graph}: {what} of node {row - int(begins[graph])} are not all finite")
    return table


def encode_labels(labels: Any, what: str, graph_of: Any) -> tuple[Numbers, dict[int, str]]:
    """Whole numbers as they are; words as the numbers that stand for them in every file, and what these are called.

    >>> encode_labels([6, 8], "node labels", None)
    (array([6, 8]), {})
    """
    if isinstance(labels, np.ndarray) and np.issubdtype(labels.dtype, np.integer):
        return labels.astype(np.int64).ravel(), {}
    values = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    kinds = {type(value) for value in values}
    if kinds <= {int} or all(issubclass(kind, (int, np.integer)) for kind in kinds):
        return np.array(values, dtype=np.int64), {}
    if all(issubclass(kind, str) for kind in kinds):
        number = {word: _engine.label_of_word(word) for word in set(values)}
        names = {label: word for word, label in number.items() if str(label) != word}
        return np.array([number[word] for word in values], dtype=np.int64), names
    good = str if isinstance(values[0], str) else int
    at = next(i for i, value in enumerate(values) if not isinstance(value, (good, np.integer) if good is int else good))
    graph = graph_of(at)
    if values[at] is None:
        raise ValueError(f"graph {graph}: one of the {what} is missing, and others have one")
    if isinstance(values[at], float):
        raise TypeError(
            f"graph {graph}: {values[at]} in {what}, which are whole numbers or words; numbers that are "
            "measured belong into attributes"
        )
    raise TypeError(
        f"graph {graph}: {values[at]!r} in {what}, where others are {'words' if good is str else 'whole numbers'}"
    )


class Collector:
    """Collects graphs one by one, for kinds whose nodes and edges are Python objects."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.edge_from: list[int] = []
        self.edge_to: list[int] = []
        self.columns: dict[str, list[Any]] = {}
        self.present: dict[str, int] = {}
        self.nodes = 0

    def add(self, size: int, edges: tuple[list[int], list[int]]) -> None:
        """Edges by nodes of the graph."""
        self.sizes.append(size)
        begin = self.nodes
        self.edge_from += [begin + u for u in edges[0]]
        self.edge_to += [begin + v for v in edges[1]]
        self.nodes += size

    def put(self, what: str, values: list[Any], count: int) -> None:
        """Values of the graph that was added last, one for each of its `count` nodes or edges; none at all is what a
        graph without them has, too."""
        graph = len(self.sizes) - 1
        if values and len(values) != count:
            thing = what.split()[0] + "s"
            raise ValueError(f"graph {graph}: {len(values)} {what} for {count} {thing}")
        column = self.columns.setdefault(what, [])
        if count == 0:
            return
        if bool(values) != bool(self.present.setdefault(what, 1 if values else 0)):
            raise ValueError(
                f"graph {graph}: has {'' if values else 'no '}{what}, and graphs before it have "
                f"{'none' if values else 'some'}"
            )
        column += values

    def build(self, name: str) -> GraphSet:
        given = {what: self.columns[what] for what, there in self.present.items() if there}
        return Parts.of_arrays(
            np.array(self.sizes, dtype=np.int64),
            np.array([self.edge_from, self.edge_to], dtype=np.int64),
            given.get("node labels"),
            given.get("edge labels"),
            given.get("node attributes"),
            given.get("edge attributes"),
        ).build(name)


def concatenate(sets: Sequence[GraphSet]) -> GraphSet:
    if len(sets) == 1:
        return sets[0]
    parts = [one._set.to_parts() for one in sets]
    begins = np.cumsum([0] + [one.num_nodes for one in sets])

    def joined(key: str) -> Any:
        arrays = [part[key] for part in parts]
        known = next((array for array in arrays if array is not None), None)
        if known is None:
            return None
        # A set without edges has no edge labels, and lacks none.
        counts = [one.num_edges if key.startswith("edge") else one.num_nodes for one in sets]
        arrays = [known[:0] if a is None and count == 0 else a for a, count in zip(arrays, counts)]
        missing = [i for i, array in enumerate(arrays) if array is None]
        if missing:
            raise ValueError(f"set {missing[0]} has no {key.replace('_', ' ')}, and others have them")
        return np.concatenate(arrays)

    def names(key: str) -> dict[int, str]:
        merged: dict[int, str] = {}
        for part in parts:
            merged.update(part[key])
        return merged

    readings = {part["molecules"] for part in parts}
    texts = [one._smiles for one in sets]
    held = _engine.graph_set(
        name=parts[0]["name"],
        sizes=joined("sizes"),
        edge_from=np.concatenate([p["edge_from"] + np.uint32(b) for p, b in zip(parts, begins)]),
        edge_to=np.concatenate([p["edge_to"] + np.uint32(b) for p, b in zip(parts, begins)]),
        node_labels=joined("node_labels"),
        node_label_names=names("node_label_names"),
        edge_labels=joined("edge_labels"),
        edge_label_names=names("edge_label_names"),
        node_attributes=joined("node_attributes"),
        edge_attributes=joined("edge_attributes"),
        graph_attributes=joined("graph_attributes"),
        ids=[i for part in parts for i in part["ids"]] if all(part["ids"] for part in parts) else [],
        smiles=[s for part in parts for s in part["smiles"]] if all(part["smiles"] for part in parts) else [],
        molecules=next(iter(readings)) if len(readings) == 1 else None,
        truth=[],
        folds=[],
    )
    return GraphSet(held, smiles=None if any(t is None for t in texts) else [s for t in texts if t for s in t])
