# SPDX-License-Identifier: BSD-3-Clause
"""Flat arrays of many graphs, as the engine takes them, and the labels of all kinds that they may have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..graphs import GraphSet

Numbers = npt.NDArray[Any]
_LARGEST = 2**32 - 2
_UNDESCRIBED = 2**24


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
        checked: bool = False,
    ) -> Parts:
        """Edges: 2 x their number, by nodes numbered through all graphs. checked: they are known to be of one graph
        each."""
        ends = np.asarray(edges)
        if ends.size == 0:
            ends = np.zeros((2, 0), dtype=np.int64)
        if ends.ndim != 2 or ends.shape[0] != 2:
            raise ValueError(f"edges have the shape {ends.shape}, where 2 x their number belongs")
        parts = cls(_checked_sizes(sizes), ends[0], ends[1])
        _require_described(parts.sizes, ends.shape[1], node_labels, node_attributes)
        if not checked:
            parts.check()
        begins = _begins(parts.sizes)

        def node(row: int) -> tuple[int, str]:
            graph = int(_graph_of(np.array([row]), begins)[0])
            return graph, f"node {row - int(begins[graph])}"

        def edge(row: int) -> tuple[int, str]:
            graph = node(int(ends[0, row]))[0]
            u, v = (int(end) - int(begins[graph]) for end in ends[:, row])
            return graph, f"the edge between nodes {u} and {v}"

        nodes, num_edges = int(begins[-1]), ends.shape[1]
        if node_labels is not None:
            labels, parts.node_label_names = encode_labels(node_labels, "node labels", node)
            parts.node_labels = _counted(labels, nodes, "node labels")
        if edge_labels is not None:
            labels, parts.edge_label_names = encode_labels(edge_labels, "edge labels", edge)
            parts.edge_labels = _counted(labels, num_edges, "edge labels")
        parts.node_attributes = _table(node_attributes, nodes, "node attributes", node)
        parts.edge_attributes = _table(edge_attributes, num_edges, "edge attributes", edge)
        return parts

    def check(self) -> None:
        """What the engine would say of nodes numbered through all graphs is said of the graph."""
        for ends in (self.edge_from, self.edge_to):
            if ends.size and not np.issubdtype(ends.dtype, np.integer):
                raise TypeError("the ends of edges are whole numbers")
        if not self.edge_from.size:
            return
        nodes, u, v = int(self.sizes.sum()), self.edge_from, self.edge_to
        inside = min(u.min(), v.min()) >= 0 and max(u.max(), v.max()) < nodes
        owner = np.repeat(np.arange(len(self.sizes), dtype=np.uint32), self.sizes)
        if inside and np.array_equal(owner[u], owner[v]):
            return
        begins = _begins(self.sizes)
        graph = _graph_of(u, begins)
        wrong = (u < 0) | (u >= nodes) | (v < begins[graph]) | (v >= begins[graph + 1])
        at = int(np.flatnonzero(wrong)[0])
        g = int(graph[at])
        raise ValueError(
            f"graph {g} has an edge between nodes {int(u[at] - begins[g])} and {int(v[at] - begins[g])}, and "
            f"{int(self.sizes[g])} nodes, numbered from 0"
        )

    def build(self, name: str) -> GraphSet:
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
                molecules=None,
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


def _checked_sizes(sizes: npt.ArrayLike) -> Numbers:
    counts = np.asarray(sizes)
    if counts.ndim != 1:
        raise ValueError(f"sizes have the shape {counts.shape}: give one number of nodes per graph")
    if not counts.size:
        raise ValueError("the list of graphs is empty")
    if not np.issubdtype(counts.dtype, np.integer):
        raise TypeError(f"sizes are numbers of nodes, whole numbers, and not {counts.dtype}")
    if counts.min() < 0 or counts.max() > _LARGEST:
        graph = int(np.flatnonzero((counts < 0) | (counts > _LARGEST))[0])
        raise ValueError(f"graph {graph}: {counts[graph]} nodes: a set holds 0 to {_LARGEST}")
    if counts.sum(dtype=np.float64) > _LARGEST:
        raise ValueError(f"{counts.sum(dtype=np.float64):.0f} nodes: a set holds up to {_LARGEST}")
    return counts


def _require_described(sizes: Numbers, num_edges: int, *of_nodes: Any) -> None:
    """A wrong number of nodes must not fill the memory. Files have this limit, too."""
    described = num_edges + sum(len(values) for values in of_nodes if values is not None)
    if sizes.sum(dtype=np.float64) > _UNDESCRIBED + described:
        graph = int(sizes.argmax())
        raise ValueError(
            f"graph {graph}: {sizes[graph]} nodes, of which most have neither an edge nor a label: a set holds up to "
            f"{_UNDESCRIBED} such"
        )


def _counted(labels: Numbers, count: int, what: str) -> Numbers:
    if len(labels) != count:
        raise ValueError(f"{len(labels)} {what} for {count} {what.split()[0]}s")
    return labels


Place = Callable[[int], "tuple[int, str]"]  # of a row: its graph, and the node or edge there


def _table(values: Any, count: int, what: str, place: Place) -> Numbers | None:
    if values is None:
        return None
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        _explain_table(values, what, place)
        raise
    table = table.reshape(-1, 1) if table.ndim == 1 else table
    if table.ndim != 2:
        raise ValueError(f"{what} have the shape {table.shape}: give one row of numbers for each {what.split()[0]}")
    _counted(table, count, what)
    bad = ~np.isfinite(table).all(axis=1)
    if bad.any():
        graph, where = place(int(np.flatnonzero(bad)[0]))
        raise ValueError(f"graph {graph}: {what} of {where} are not all finite")
    return table


def _explain_table(values: Any, what: str, place: Place) -> None:
    """Raises what names the first row that cannot be one of the table."""
    width = None
    for index, row in enumerate(values):
        graph, where = place(index)
        try:
            numbers = np.asarray(row, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"graph {graph}: {what} of {where} are {row!r}, and not numbers") from None
        if width is not None and numbers.size != width:
            raise ValueError(f"graph {graph}: {what} of {numbers.size} numbers, where others have {width}")
        width = numbers.size


def encode_labels(labels: Any, what: str, place: Place) -> tuple[Numbers, dict[int, str]]:
    """Whole numbers as they are; words as the numbers that stand for them in every file, and what these are called.

    >>> encode_labels([6, 8], "node labels", None)
    (array([6, 8]), {})
    """
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu" and labels.dtype != np.uint64:
        return labels.astype(np.int64).ravel(), {}
    values = labels.ravel().tolist() if isinstance(labels, np.ndarray) else list(labels)
    kinds = {type(value) for value in values}
    if all(issubclass(kind, (int, np.integer)) for kind in kinds):
        try:
            return np.array(values, dtype=np.int64), {}
        except OverflowError:
            large = next(i for i, value in enumerate(values) if not -(2**63) <= value < 2**63)
            raise ValueError(f"graph {place(large)[0]}: {values[large]} in {what}, which have up to 64 bits") from None
    if all(issubclass(kind, str) for kind in kinds):
        odd = next((i for i, word in enumerate(values) if not word.isascii() and not _is_text(word)), None)
        if odd is not None:
            raise ValueError(f"graph {place(odd)[0]}: {values[odd]!r} in {what}, which is no text")
        number = {word: _engine.label_of_word(word) for word in set(values)}
        names = {label: word for word, label in number.items() if str(label) != word}
        return np.array([number[word] for word in values], dtype=np.int64), names
    words = isinstance(values[0], str)
    good: Any = str if words else (int, np.integer)
    at = next(i for i, value in enumerate(values) if not isinstance(value, good))
    graph, value = place(at)[0], values[at]
    if value is None:
        raise ValueError(f"graph {graph}: one of the {what} is missing, and others have one")
    if isinstance(value, (float, np.floating)):
        raise TypeError(
            f"graph {graph}: {value} in {what}, which are whole numbers or words; numbers that are "
            "measured belong into attributes"
        )
    if not isinstance(value, (str, int, np.integer)):
        raise TypeError(f"graph {graph}: {value!r} in {what}, which are whole numbers or words")
    raise TypeError(f"graph {graph}: {value!r} in {what}, where others are {'words' if words else 'whole numbers'}")


def _is_text(word: str) -> bool:
    """Half of a pair of surrogates is none, and would not reach the engine."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


class Collector:
    """Collects graphs one by one, for kinds whose nodes and edges are Python objects."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.edge_from: list[int] = []
        self.edge_to: list[int] = []
        self.columns: dict[str, list[Any]] = {}
        self.present: dict[str, int] = {}
        self.ids: list[str] = []
        self.nodes = 0

    def add(self, size: int, edges: tuple[list[int], list[int]]) -> None:
        """Edges by nodes of the graph."""
        if size > _LARGEST:
            raise ValueError(f"graph {len(self.sizes)}: {size} nodes: a set holds 0 to {_LARGEST}")
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
        if any(value is None for value in values):
            raise ValueError(f"graph {graph}: one of the {what} is missing, and others have one")
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
        parts = Parts.of_arrays(
            np.array(self.sizes, dtype=np.int64),
            np.array([self.edge_from, self.edge_to], dtype=np.int64),
            given.get("node labels"),
            given.get("edge labels"),
            given.get("node attributes"),
            given.get("edge attributes"),
        )
        parts.ids = self.ids if any(self.ids) else []
        return parts.build(name)


def require_same_names(sets: Sequence[GraphSet]) -> None:
    """A label is the same in all sets if its number is. It must then have one name."""
    for what in ("node", "edge"):
        name_of: dict[int, str] = {}
        label_of: dict[str, int] = {}
        for number, one in enumerate(sets):
            for label, name in getattr(one._set, f"{what}_label_names").items():
                other_name, other_label = name_of.setdefault(label, name), label_of.setdefault(name, label)
                if other_name != name:
                    raise ValueError(
                        f"set {number}: {what} label {label} is {name!r}, and in a set before it {other_name!r}"
                    )
                if other_label != label:
                    raise ValueError(
                        f"set {number}: {what} label {name!r} is {label}, and in a set before it {other_label}"
                    )


def concatenate(sets: Sequence[GraphSet]) -> GraphSet:
    if not sets:
        raise ValueError("the list of sets is empty")
    if len(sets) == 1:
        return sets[0]
    require_same_names(sets)
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
