# SPDX-License-Identifier: BSD-3-Clause
"""From the parameters of an estimator to the configuration of a network, and back for one from a file."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from . import _engine
from ._checks import checked

NETWORK: dict[str, Any] = {
    "arch": "subtree",
    "path_length": 3,
    "filters": 128,
    "sigma": 0.6,
    "pooling": "mean",
    "global_pooling": "sum",
    "one_length": False,
    "concat_layers": False,
}
_ARCHS = ("subtree", "path", "walk", "three-layer")


def network_config(**parameters: Any) -> str:
    return _engine.network_config(**checked(**parameters))


def parameters_of(network: _engine.Network) -> dict[str, Any]:
    """Those with which the same graphs give the same network; none where no parameters do."""
    config = json.loads(network.config)
    compare = config.get("compare", "vectors")
    first = config["layers"][0]
    named: dict[str, Any] = {"path_length": first["path_length"]}
    if compare != "states":
        named.update(
            filters=max(layer["filters"] for layer in config["layers"]),  # some layers have learnt fewer
            sigma=first["sigma"],
            pooling=first["pooling"],
            global_pooling=config["global_pooling"],
            one_length=not first["all_lengths"],
            concat_layers=config["concat_layers"],
        )
    rest = {
        "features": network.features,
        "edge_labels": network.uses_edge_labels,
        "compare": compare,
        "head": config.get("head", "linear"),
    }
    for arch in _ARCHS:
        if compare != "states":
            named["arch"] = arch
        with contextlib.suppress(ValueError):  # another architecture may be too large with these
            if _shape(json.loads(network_config(**{**NETWORK, **named}, **rest))) == _shape(config):
                return {**named, **rest}
    return {}


def _shape(config: dict[str, Any]) -> dict[str, Any]:
    """All that parameters say, but for the width of layers, and what is read of graphs."""
    layers = [{key: value for key, value in layer.items() if key != "filters"} for layer in config["layers"]]
    return {**config, "layers": layers, "input": config["input"]["unit"]}
