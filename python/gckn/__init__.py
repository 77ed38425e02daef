# SPDX-License-Identifier: BSD-3-Clause
"""Graph Convolutional Kernel Networks as scikit-learn estimators.

>>> import gckn
>>> graphs = gckn.datasets.motif(graphs=60, seed=1)
>>> model = gckn.GCKNClassifier(path_length=3, filters=16, random_state=0).fit(graphs)
>>> model.predict(graphs[:2]).tolist() in ([0, 0], [0, 1], [1, 0], [1, 1])
True

Everything here is loaded when it is first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import datasets, distributed
    from ._engine import version as __version__
    from .estimators import GCKNClassifier, GCKNRegressor, GCKNTransformer, load_model
    from .evaluation import cross_validate, results_frame
    from .explaining import explain
    from .graphs import GraphSet, load
    from .kernel import GraphKernel

_HOME = {
    "GCKNClassifier": "estimators",
    "GCKNRegressor": "estimators",
    "GCKNTransformer": "estimators",
    "GraphKernel": "kernel",
    "GraphSet": "graphs",
    "cross_validate": "evaluation",
    "explain": "explaining",
    "load": "graphs",
    "load_model": "estimators",
    "results_frame": "evaluation",
}
_MODULES = ("datasets", "distributed")

__all__ = [
    "GCKNClassifier",
    "GCKNRegressor",
    "GCKNTransformer",
    "GraphKernel",
    "GraphSet",
    "__version__",
    "cross_validate",
    "datasets",
    "distributed",
    "explain",
    "load",
    "load_model",
    "results_frame",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = importlib.import_module("._engine", __name__).version
    elif name in _MODULES:
        value = importlib.import_module(f".{name}", __name__)
    elif name in _HOME:
        value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    else:
        raise AttributeError(f"module 'gckn' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
