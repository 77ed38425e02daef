# SPDX-License-Identifier: BSD-3-Clause
"""Graph sets made on the spot, with a known answer to why a graph has its class."""

from __future__ import annotations

from numbers import Integral

from . import _engine
from ._runs import make_run
from .graphs import GraphSet


def motif(graphs: int = 400, nodes: int = 24, labels: int = 4, seed: int = 0) -> GraphSet:
    """Labelled random graphs; class 1 contains a planted ring, class 0 the same labels wired otherwise.

    >>> motif(graphs=10)
    GraphSet of 10 graphs ('motif'): ... nodes, ... edges, 4 node labels, 2 classes
    """
    return GraphSet(
        _engine.make_motif_set(**_counts(graphs=graphs, nodes=nodes, labels=labels, seed=seed), run=make_run())
    )


def house(graphs: int = 400, nodes: int = 24, seed: int = 0) -> GraphSet:
    """Random trees without labels; in those of class 1 a house (a square with a roof) hangs on one edge."""
    return GraphSet(_engine.make_house_set(**_counts(graphs=graphs, nodes=nodes, seed=seed), run=make_run()))


def _counts(**numbers: int) -> dict[str, int]:
    for name, number in numbers.items():
        if not isinstance(number, Integral) or not 0 <= number < 2**32:
            raise ValueError(f"{name} is {number!r}, and not a whole number from 0")
    return {name: int(number) for name, number in numbers.items()}
