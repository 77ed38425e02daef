# SPDX-License-Identifier: BSD-3-Clause
"""Graph sets: many graphs in flat arrays, from files and from what other packages call graphs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _engine
from ._checks import checked, file_name, words
from ._runs import make_run

Index = Union[int, slice, Sequence[int], npt.NDArray[Any]]
_ROWS_SHOWN = 5


class GraphSet:
    """Many graphs, held once in flat arrays; immutable.

    Made by `GraphSet(graphs)` of any list of graphs that gckn knows (networkx, PyTorch Geometric, DGL, igraph, scipy
    adjacency, GraKeL's tuples, dicts, SMILES, RDKit molecules), by `GraphSet.from_smiles`, or by `gckn.load`. Slices
    and arrays of numbers give sets of the same kind, so that scikit-learn can split it.

    >>> ring = {"edges": [[0, 1], [1, 2], [2, 0]], "node_labels": ["C", "C", "O"]}
    >>> graphs = GraphSet([ring, {"num_nodes": 1, "node_labels": ["C"]}])
    >>> len(graphs), graphs[0].num_edges
    (2, 3)
    """

    __slots__ = ("_set", "_smiles")
    _set: _engine.GraphSet
    _smiles: tuple[str, ...] | None

    def __init__(self, graphs: Any, *, smiles: Sequence[str] | None = None) -> None:
        """smiles: by graph the text of a molecule, from which it can be drawn."""
        if isinstance(graphs, _engine.GraphSet):
            held, texts = graphs, None
        else:
            from ._convert import as_graph_set

            other = as_graph_set(graphs)
            held, texts = other._set, other._smiles
        if smiles is not None and len(smiles):
            texts = tuple(words("smiles", smiles))
            if len(texts) != len(held):
                raise ValueError(f"{len(texts)} smiles for {len(held)} graphs")
        object.__setattr__(self, "_set", held)
        object.__setattr__(self, "_smiles", texts)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a GraphSet does not change; make another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a GraphSet does not change; make another one")

    @classmethod
    def from_smiles(
        cls,
        smiles: Iterable[str],
        *,
        atoms: str = "element",
        hydrogens: bool = False,
        largest_fragment: bool = False,
        n_jobs: int | None = None,
    ) -> GraphSet:
        """Molecules as graphs.

        atoms: "element", or "rich" with charge, aromaticity, hydrogens and rings. hydrogens: as nodes, too.
        largest_fragment: without counter-ions and solvents. n_jobs: threads, all cores for None.

        >>> ethanol = GraphSet.from_smiles(["CCO"])
        >>> ethanol.num_nodes, GraphSet.from_smiles(["CCO"], hydrogens=True).num_nodes
        (3, 9)
        """
        from ._convert.molecules import of_smiles

        if isinstance(smiles, (str, bytes)):
            raise TypeError("smiles are a list: give [smiles] for one molecule")
        return of_smiles(list(smiles), _molecules(atoms, hydrogens, largest_fragment), n_jobs)

    @classmethod
    def from_arrays(
        cls,
        sizes: npt.ArrayLike,
        edges: npt.ArrayLike,
        *,
        node_labels: npt.ArrayLike | None = None,
        edge_labels: npt.ArrayLike | None = None,
        node_attributes: npt.ArrayLike | None = None,
        edge_attributes: npt.ArrayLike | None = None,
        name: str = "graphs",
    ) -> GraphSet:
        """Of flat arrays, the quickest way in. sizes: by graph its number of nodes. edges: 2 x their number, by nodes
        that are numbered through all graphs. The others have an entry or a row for each node or edge.

        >>> GraphSet.from_arrays([3, 2], [[0, 1, 3], [1, 2, 4]], node_labels=["C", "C", "O", "C", "N"])
        GraphSet of 2 graphs ('graphs'): 5 nodes, 3 edges, 3 node labels
        """
        from ._convert.parts import Parts

        checked(name=name)
        return Parts.of_arrays(sizes, edges, node_labels, edge_labels, node_attributes, edge_attributes).build(name)

    @classmethod
    def concatenate(cls, sets: Sequence[GraphSet]) -> GraphSet:
        """One set of all of them, without targets and folds. They must have the same kinds of data."""
        from ._convert.parts import concatenate

        return concatenate(sets)

    def __len__(self) -> int:
        return len(self._set)

    @property
    def shape(self) -> tuple[int]:
        """The number of graphs: there is one dimension."""
        return (len(self),)

    def __iter__(self) -> Iterator[GraphSet]:
        for i in range(len(self)):
            yield self[i]

    def __getitem__(self, index: Index | tuple[Index, Any]) -> GraphSet:
        if isinstance(index, tuple):  # scikit-learn writes array[rows, ...]
            if len(index) != 2 or index[1] is not Ellipsis:
                raise IndexError("a GraphSet has one dimension")
            index = index[0]
        count = len(self)
        if isinstance(index, (int, np.integer)):
            if not -count <= index < count:
                raise IndexError(f"graph {index} of {count}")
            numbers = np.array([int(index) % count])
        elif isinstance(index, slice):
            numbers = np.arange(count)[index]
        else:
            numbers = np.asarray(index)
            if numbers.dtype == bool and numbers.ndim == 1:
                if len(numbers) != count:
                    raise IndexError(f"{len(numbers)} truth values for {count} graphs")
                numbers = np.flatnonzero(numbers)
            elif numbers.size == 0:
                numbers = numbers.astype(np.int64)
            if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
                raise IndexError("graphs are selected by a number, a slice, or a list of numbers or truth values")
            if numbers.size and (numbers.min() < -count or numbers.max() >= count):
                raise IndexError(f"graph {numbers[(numbers < -count) | (numbers >= count)][0]} of {count}")
            numbers = numbers % max(count, 1)
        texts = None if self._smiles is None else [self._smiles[i] for i in numbers]
        return GraphSet(self._set.select(numbers.astype(np.uint32)), smiles=texts)

    @property
    def name(self) -> str:
        """What the set is called: that of its file."""
        return self._set.name

    @property
    def num_nodes(self) -> int:
        """Of all graphs together."""
        return self._set.num_nodes

    @property
    def num_edges(self) -> int:
        """Of all graphs together, each counted once."""
        return self._set.num_edges

    @property
    def ids(self) -> list[str]:
        """What the graphs are called where the file says so, or an empty list."""
        return self._set.ids

    @property
    def smiles(self) -> tuple[str, ...] | None:
        """Of molecules, as they were given; otherwise None."""
        return self._smiles

    @property
    def molecules(self) -> tuple[str, bool, bool] | None:
        """How molecules were read: atoms, hydrogens, largest fragment only."""
        reading: Any = self._set.molecules
        return reading  # type: ignore[no-any-return]

    @property
    def folds(self) -> list[tuple[list[int], list[int]]]:
        """The set's own training and test graphs, where it brings them (GIN's files do)."""
        return list(self._set.to_parts()["folds"])

    @property
    def target_names(self) -> list[str]:
        """What the file calls its targets; empty where it does not say."""
        targets: Any = self._set.targets
        return [] if targets is None else list(targets["names"])

    @property
    def y(self) -> npt.NDArray[Any] | None:
        """The targets that the file had: classes (whole numbers where all names are such, None for a missing one), or
        numbers, one column or several, NaN for a missing one; None if it had none."""
        targets: Any = self._set.targets
        if targets is None:
            return None
        if "numbers" in targets:
            numbers: npt.NDArray[Any] = targets["numbers"]
            return numbers[:, 0] if numbers.shape[1] == 1 else numbers
        classes = class_values(targets["class_names"])
        of_graph = targets["class_of_graph"]
        if (of_graph < 0).any():
            return np.array([None if c < 0 else classes[c] for c in of_graph], dtype=object)
        values: npt.NDArray[Any] = classes[of_graph]
        return values

    def to_arrays(self) -> Mapping[str, Any]:
        """The flat arrays: sizes, edge_from and edge_to, by nodes numbered through all graphs, and what nodes, edges
        and graphs have. Every edge is there once, or in both directions where these have different attributes.

        >>> arrays = GraphSet([{"edges": [(0, 1)], "node_labels": [6, 8]}]).to_arrays()
        >>> [arrays[key].tolist() for key in ("sizes", "edge_from", "edge_to", "node_labels")]
        [[2], [0], [1], [6, 8]]
        """
        return dict(self._set.to_parts())

    def save(self, path: str | os.PathLike[str], format: str = "jsonl") -> None:
        """Writes JSON lines, or "tu", "gin", "node-link", as `gckn convert` does."""
        checked(format=format)
        _engine.write_graphs(self._set, file_name(path), format, make_run())

    def __repr__(self) -> str:
        held = self._set
        pieces = [f"{held.num_nodes} nodes", f"{held.num_edges} edges"]
        if held.has_node_labels:
            pieces.append(f"{held.num_node_labels} node labels")
        if held.has_edge_labels:
            pieces.append("edge labels")
        if held.node_attribute_columns:
            pieces.append(f"{held.node_attribute_columns} attributes")
        targets: Any = held.targets
        if targets is not None:
            pieces.append(
                f"{len(targets['class_names'])} classes"
                if "class_names" in targets
                else f"{targets['numbers'].shape[1]} target columns"
            )
        name = f" ('{held.name}')" if held.name else ""
        return f"GraphSet of {len(self)} graph{'s' if len(self) != 1 else ''}{name}: {', '.join(pieces)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self._set.to_parts(), self._set.targets, self._smiles)


def _unpickle(parts: dict[str, Any], targets: dict[str, Any] | None, smiles: tuple[str, ...] | None) -> GraphSet:
    held = _engine.graph_set(**parts)
    if targets is not None and "numbers" in targets:
        held = held.with_numbers(targets["numbers"], targets["names"])
    elif targets is not None:
        held = held.with_classes(targets["class_names"], targets["class_of_graph"], targets["names"])
    return GraphSet(held, smiles=smiles)


def _molecules(atoms: Any, hydrogens: Any, largest_fragment: Any) -> tuple[str, bool, bool]:
    """How molecules are to be read."""
    read = checked(atoms=atoms, hydrogens=hydrogens, largest_fragment=largest_fragment)
    return read["atoms"], read["hydrogens"], read["largest_fragment"]


def class_values(names: Sequence[str]) -> npt.NDArray[Any]:
    """Names of classes as Python has them: whole numbers where all are such."""
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return np.array(names, dtype=str)
    plain = all(str(number) == name for number, name in zip(numbers, names))
    return np.array(numbers if plain else names)


def load(
    path: str | os.PathLike[str],
    *,
    smiles_column: str = "",
    id_column: str = "",
    target_columns: Sequence[str] = (),
    atoms: str = "element",
    hydrogens: bool = False,
    largest_fragment: bool = False,
    on_error: str = "fail",
    n_jobs: int | None = None,
    verbose: int = 0,
) -> GraphSet:
    """Reads a graph set of any format that the command reads: TU and GIN folders and zips, JSON lines, node-link JSON,
    and molecules in CSV, SMI and SDF files, to which the other arguments belong.

    smiles_column, id_column, target_columns: names; "" and () are found out. atoms, hydrogens, largest_fragment: as in
    GraphSet.from_smiles. on_error: what a row that is no molecule does: "fail", or "skip", which leaves it out.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("smiles,active\\nCCO,1\\nCCN,0\\n")
    ...     file.flush()
    ...     graphs = load(file.name, target_columns=["active"])
    >>> len(graphs), graphs.y.tolist()
    (2, [1, 0])
    """
    run = make_run(n_jobs, verbose)
    columns = checked(smiles_column=smiles_column, id_column=id_column or "")
    targets, reading = words("target_columns", target_columns), _molecules(atoms, hydrogens, largest_fragment)
    if not _engine.is_molecule_file(file_name(path)):
        return GraphSet(_engine.read_graphs(file_name(path), run))
    if on_error not in ("fail", "skip"):
        raise ValueError(f"on_error must be 'fail' or 'skip', not {on_error!r}")
    graphs, graph_of_row, _, errors, sources = _engine.read_molecules(
        file_name(path), columns["smiles_column"], columns["id_column"], targets, reading, run
    )
    bad = np.flatnonzero(np.asarray(graph_of_row) < 0)
    if len(bad) and on_error == "fail":
        shown = "; ".join(f"row {row + 1}: {errors[row]}" for row in bad[:_ROWS_SHOWN])
        raise ValueError(
            f"{file_name(path)}: {len(bad)} rows are no molecule ({shown}{', …' if len(bad) > _ROWS_SHOWN else ''}); "
            "on_error='skip' leaves them out"
        )
    return GraphSet(graphs, smiles=None if any("\n" in text for text in sources) else sources)
