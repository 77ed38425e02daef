# SPDX-License-Identifier: BSD-3-Clause
"""Which substructures carry a prediction, with pictures in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from . import _engine
from ._checks import checked
from .estimators import GCKNClassifier, GCKNRegressor
from .graphs import GraphSet

_SHOWN = 12


class Explanation:
    """Of one graph: scores of nodes and edges (positive: for the prediction), the motif, a picture."""

    def __init__(self, found: _engine.Explanation, owner: Explanations) -> None:
        self._found = found
        self._owner = owner

    @property
    def graph(self) -> int:
        """Its number among those that were explained."""
        return self._found.graph

    @property
    def error(self) -> str:
        """Why there is no explanation; otherwise empty."""
        return self._found.error

    @property
    def predicted(self) -> Any:
        """The class that is explained; None for a number."""
        c = self._found.explained_class
        return None if c < 0 else self._owner.classes[c]

    @property
    def score(self) -> float:
        """The model's, of the class or number that is explained."""
        return self._found.score

    @property
    def empty_score(self) -> float:
        """What a graph without nodes gets: exact shares add up to score - empty_score."""
        return self._found.empty_score

    @property
    def node_scores(self) -> npt.NDArray[np.float64]:
        """One for each node."""
        scores: Any = self._found.node_scores
        return scores  # type: ignore[no-any-return]

    @property
    def edge_scores(self) -> npt.NDArray[np.float64]:
        """One for each of `edges`."""
        scores: Any = self._found.edge_scores
        return scores  # type: ignore[no-any-return]

    @property
    def edges(self) -> list[tuple[int, int]]:
        """By nodes of the graph."""
        return _engine.graph_edges(self._owner.graphs._set, self.graph)

    @property
    def motif(self) -> list[int]:
        """The nodes of the largest connected part that stands out."""
        return list(self._found.motif_nodes)

    @property
    def paths(self) -> list[tuple[int, list[int], float]]:
        """Layer, nodes and share of every path, if they were asked for."""
        return list(self._found.paths)

    @property
    def svg(self) -> str:
        """The picture, of a molecule where its SMILES is known."""
        return _engine.draw(
            self._owner.graphs._set, [self._found], list(self._owner.graphs.smiles or []), self._owner.run
        )[0]

    def _repr_html_(self) -> str:
        graphs = self._owner.graphs
        name = graphs.ids[self.graph] if graphs.ids else f"graph {self.graph}"
        if self.error:
            return f"<p>{html.escape(name)}: {html.escape(self.error)}</p>"
        what = "" if self.predicted is None else f" {html.escape(str(self.predicted))},"
        return (
            "<figure style='display:inline-block;margin:4px;background:#fff;color:#222;text-align:center'>"
            f"{self.svg}<figcaption>{html.escape(name)}:{what} score {self.score:.2f}</figcaption></figure>"
        )

    def __repr__(self) -> str:
        if self.error:
            return f"Explanation(graph={self.graph}, error={self.error!r})"
        return (
            f"Explanation(graph={self.graph}, predicted={self.predicted}, score={self.score:.3f}, motif={self.motif})"
        )


class Explanations(Sequence[Explanation]):
    """Of several graphs. Shown as pictures in a notebook."""

    def __init__(self, found: list[_engine.Explanation], graphs: GraphSet, classes: Any, method: str, run: Any) -> None:
        self._found = found
        self.graphs = graphs
        self.classes = classes
        self.method = method
        self.run = run

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> list[Explanation]: ...
    def __getitem__(self, index: int | slice) -> Explanation | list[Explanation]:
        if isinstance(index, slice):
            return [Explanation(found, self) for found in self._found[index]]
        return Explanation(self._found[index], self)

    def __iter__(self) -> Iterator[Explanation]:
        return (Explanation(found, self) for found in self._found)

    def __repr__(self) -> str:
        return f"Explanations of {len(self)} graphs, method {self.method!r}"

    def _repr_html_(self) -> str:
        more = f"<p>… and {len(self) - _SHOWN} more</p>" if len(self) > _SHOWN else ""
        return "".join(one._repr_html_() for one in self[:_SHOWN]) + more


def explain(
    model: GCKNClassifier | GCKNRegressor,
    graphs: Any,
    *,
    method: str = "auto",
    target: int = 0,
    mu: float = 0.01,
    paths: bool = False,
) -> Explanations:
    """Explains what a fitted model predicts of these graphs.

    method: "exact" (shares that add up to the score), "gradient", "masks" (the paper's), "occlusion", or "auto", the
    best that is exact for the model. target: by number, of a model of several. mu: how much masks cost. paths: whether
    shares of single paths are listed. docs/explaining.md says what each means.

    >>> import gckn
    >>> graphs = gckn.datasets.motif(graphs=60)
    >>> model = gckn.GCKNClassifier(path_length=2, filters=16).fit(graphs)
    >>> explanation = gckn.explain(model, graphs[:1])[0]
    >>> bool(abs(explanation.node_scores.sum() - (explanation.score - explanation.empty_score)) < 1e-3)
    True
    """
    if not isinstance(model, (GCKNClassifier, GCKNRegressor)):
        raise TypeError(f"{type(model).__name__}: give a fitted GCKNClassifier or GCKNRegressor")
    engine_model = model._require_fitted("model_")
    network = engine_model.network
    converted = model._read(graphs, network)
    run = model._run()
    given = checked(method=method, target=target, mu=mu, paths=paths)
    classes = model.targets_.model_classes(engine_model)
    if not 0 <= given["target"] < len(classes):
        raise ValueError(f"target is {target}, and the model has {len(classes)}, numbered from 0")
    found = _engine.explain(
        engine_model, converted._set, given["method"], given["target"], given["mu"], given["paths"], run
    )
    how = _engine.method_for(engine_model, given["method"])
    return Explanations(found, converted, classes[given["target"]], how, (run[0], None, run[2]))
