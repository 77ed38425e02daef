# SPDX-License-Identifier: BSD-3-Clause
"""Warnings of graphs that are not like those a model learnt from, as the command has them."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from . import _engine
from ._convert.reading import Molecules
from .graphs import GraphSet

_SHOWN = 5


def warn_of_reading(known: Molecules | None, graphs: GraphSet) -> bool:
    """known: how the molecules were read that were learnt from. Whether there was something to warn of."""
    read = graphs.molecules
    if read is None or known is None or read == known:
        return False
    _warn(f"these molecules were read with {_said(read)}, and those that were learnt from with {_said(known)}")
    return True


def warn_of_labels(network: _engine.Network, graphs: GraphSet) -> None:
    known: Any = network.molecules
    if warn_of_reading(known, graphs):
        return  # which is why labels are unknown
    counts: Any = network.unknown_labels(graphs._set)
    nodes, node_labels, edges, edge_labels = counts
    what = "degrees" if network.features == "degree" else "labels"
    _warn_of_most(nodes, graphs.num_nodes, "nodes", what, node_labels)
    _warn_of_most(edges, graphs.num_edges, "edges", "labels", edge_labels)


def warn_of_states(predictions: dict[str, Any]) -> None:
    unknown, states = predictions["unknown_states"], predictions["states"]
    if 2 * unknown > states:
        _warn(f"{unknown} of {states} states of nodes are new to the model and count for nothing")


def _said(molecules: Molecules) -> str:
    return "atoms={!r}, hydrogens={!r}, largest_fragment={!r}".format(*molecules)


def _warn_of_most(unknown: int, count: int, things: str, what: str, names: list[str]) -> None:
    if 2 * unknown <= count:
        return
    shown = ", ".join(names[:_SHOWN]) + (f", {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    _warn(
        f"{unknown} of {count} {things} have {what} that the model has not seen ({shown}): do these graphs use other "
        "labels than those it was fitted on?"
    )


def _warn(message: str) -> None:
    """Of the line that has called gckn, or scikit-learn that has called gckn."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("gckn", "sklearn"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
