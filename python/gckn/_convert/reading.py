# SPDX-License-Identifier: BSD-3-Clause
"""How graphs are read where there is more than one way to do it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Molecules = tuple[str, bool, bool]  # atoms, hydrogens, largest fragment only
PLAIN_MOLECULES: Molecules = ("element", False, False)


@dataclass(frozen=True)
class Reading:
    """As the graphs were read that a model learnt from; None: as graphs of their kind are by default."""

    molecules: Molecules | None = None
    nodes: str | None = None  # "labels" or "attributes"
    edges: str | None = None

    @classmethod
    def of_network(cls, network: Any) -> Reading:
        sources = network.features.split("+")
        edges = "labels" if network.uses_edge_labels else "attributes" if "edge-attributes" in sources else None
        return cls(network.molecules, _only("labels" in sources, "attributes" in sources), edges)

    @classmethod
    def of_set(cls, graphs: Any) -> Reading:
        held = graphs._set
        nodes = _only(held.has_node_labels, held.node_attribute_columns > 0)
        return cls(held.molecules, nodes, "labels" if held.has_edge_labels else None)


def _only(labels: bool, attributes: bool) -> str | None:
    return None if labels == attributes else "labels" if labels else "attributes"


AS_EVER = Reading()
