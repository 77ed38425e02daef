# SPDX-License-Identifier: BSD-3-Clause
"""Honest figures: the cross-validation of the command, with its protocols and baselines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _engine
from ._checks import checked
from ._convert import as_graph_set
from ._runs import Run
from .estimators import GCKNClassifier, GCKNRegressor
from .graphs import GraphSet


def _groups(graphs: GraphSet, by: str, run: Any) -> list[int]:
    if by == "equal":
        first: Any = graphs._set.equal_graphs(run)
        return [int(number) for number in first]
    if by == "scaffold":
        if not graphs._set.smiles:
            raise ValueError("folds_by='scaffold': only molecules have scaffolds")
        return [int(n) for n in np.unique(_engine.scaffolds(graphs._set.smiles, run), return_inverse=True)[1]]
    raise ValueError(f"folds_by must be 'graphs', 'equal' or 'scaffold', not {by!r}")


def _given_folds(folds: Any) -> list[tuple[list[int], list[int]]]:
    try:
        given = [([int(i) for i in train], [int(i) for i in test]) for train, test in folds]
    except (TypeError, ValueError):
        raise TypeError("cv is a number of folds, or pairs of training and test graphs by number") from None
    if not given:
        raise ValueError("cv is an empty list of folds")
    for number, parts in enumerate(given):
        negative = next((i for part in parts for i in part if i < 0), None)
        if negative is not None:
            raise ValueError(f"cv: fold {number} names graph {negative}: graphs are numbered from 0")
    return given


def _require_equal_learning(candidates: list[Any]) -> None:
    """What is learnt on the vectors is the same for all candidates, which are networks."""

    def learning(candidate: Any) -> dict[str, Any]:
        left_out = ("networks", "features", "edge_labels", "seed")
        options = {key: value for key, value in candidate._learning().items() if key not in left_out}
        options["random_state"] = candidate.random_state
        return {**options, "kind": type(candidate), "class_weight": getattr(candidate, "class_weight", None)}

    if len(candidates) == 1:
        return
    first = learning(candidates[0])
    for number, candidate in enumerate(candidates[1:], start=1):
        other = learning(candidate)
        different = [key for key in {**first, **other} if first.get(key) != other.get(key)]
        if different:
            raise ValueError(
                f"candidate {number} has another {different[0]} than candidate 0: they may differ in their networks "
                "only; C takes a list of values to choose from"
            )


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    protocol: str = "nested",
    cv: int | Iterable[tuple[Sequence[int], Sequence[int]]] | None = None,
    repeats: int | None = None,
    inner_folds: int = 5,
    folds_by: str = "graphs",
    baselines: bool = True,
    journal: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> dict[str, Any]:
    """What `gckn cv` measures, as the dict that its --json prints.

    estimator: a GCKNClassifier or GCKNRegressor, or a list of them, which are candidates: under "nested" network and C
    are chosen within the training graphs of each fold. Without parameters it stands for the candidates of the command.
    Candidates may differ in their networks only. cv: folds to make, or pairs of training and test graphs; None: the
    set's own folds, or else ten.
    journal: a file that every result is appended to as it comes; resume: goes on with one that is there.
    `results_frame` makes a table of it; `gckn.distributed.cross_validate` does the same on a cluster.

    >>> import gckn
    >>> graphs = gckn.datasets.motif(graphs=60)
    >>> result = cross_validate(gckn.GCKNClassifier(path_length=2, filters=8), graphs, cv=3)
    >>> [method["method"] for method in result["targets"][0]["methods"]]
    ['gckn', 'majority class', 'label histogram', 'WL optimal assignment']
    """
    search = plan_search(
        estimator,
        X,
        y,
        protocol=protocol,
        cv=cv,
        repeats=repeats,
        inner_folds=inner_folds,
        folds_by=folds_by,
        baselines=baselines,
    )
    return search.run_with(journal, resume)


@dataclass
class Search:
    """What the engine is told to measure."""

    graphs: GraphSet  # with their targets
    options: dict[str, Any]
    run: Run

    def run_with(self, journal: str | os.PathLike[str] | None, resume: bool) -> dict[str, Any]:
        options = {**self.options, **checked(resume=resume)}
        if journal is not None:
            options["journal"] = os.fspath(journal)
        return json.loads(_engine.cross_validate(self.graphs._set, options, self.run))  # type: ignore[no-any-return]


def plan_search(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    protocol: str = "nested",
    cv: int | Iterable[tuple[Sequence[int], Sequence[int]]] | None = None,
    repeats: int | None = None,
    inner_folds: int = 5,
    folds_by: str = "graphs",
    baselines: bool = True,
) -> Search:
    """The arguments are those of cross_validate."""
    candidates = list(estimator) if isinstance(estimator, (list, tuple)) else [estimator]
    if not candidates:
        raise ValueError("the list of estimators is empty")
    given = checked(protocol=protocol, inner_folds=inner_folds, baselines=baselines, repeats=repeats)
    for candidate in candidates:
        if not isinstance(candidate, (GCKNClassifier, GCKNRegressor)):
            raise TypeError(f"{type(candidate).__name__}: give a GCKNClassifier, a GCKNRegressor or a list of these")
    first = candidates[0]
    networks = [config for candidate in candidates for config in candidate._networks()]
    if len(candidates) > 1 and len(networks) < len(candidates):
        raise ValueError("of several candidates each must name its network: path_length=…, or compare='states'")
    _require_equal_learning(candidates)
    run = first._run()
    graphs = as_graph_set(X)
    targets = first._targets(graphs, y)
    weights = first._weights(targets, None, len(graphs))
    options: dict[str, Any] = {
        **first._learning(),
        **targets.options,
        "networks": networks,
        **{name: value for name, value in given.items() if value is not None},
    }
    del options["folds"]
    if weights is not None:
        options["weights"] = weights.tolist()
    if isinstance(cv, (int, np.integer)):
        options.update(folds=int(cv), use_own_folds=False)
    elif cv is not None:
        options["given_folds"] = _given_folds(cv)
    if folds_by != "graphs":
        options.update(
            groups=_groups(graphs, folds_by, run), use_own_folds=False, test_small_groups_only=folds_by == "scaffold"
        )
    if y is not None:
        graphs = GraphSet(targets.put_on(graphs._set), smiles=graphs.smiles)
    return Search(graphs, options, run)


def results_frame(result: dict[str, Any]) -> Any:
    """A pandas table of a result: one row for each target, method and metric."""
    import pandas

    rows = []
    for target in result["targets"]:
        for method in target["methods"]:
            for metric, summary in method.items():
                if metric == "method":
                    continue
                low, high = summary["interval_95"]
                rows.append(
                    {
                        "target": target["name"],
                        "method": method["method"],
                        "metric": metric,
                        "mean": summary["mean"],
                        "deviation": summary["deviation"],
                        "low": low,
                        "high": high,
                    }
                )
    return pandas.DataFrame(rows)
